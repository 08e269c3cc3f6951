"""What other rooms may use of this one."""

from .declared import (
    DataSet as DataSet,
    PinnedFile as PinnedFile,
    blob_id as blob_id,
    build_benchmark as build_benchmark,
    compared_with_pinned as compared_with_pinned,
    declared_names as declared_names,
    find_file as find_file,
    gold_versions as gold_versions,
    has_files as has_files,
    install as install,
    pinned_fingerprints as pinned_fingerprints,
    read_data_set as read_data_set,
)
from .fetching import (
    fetch_benchmark as fetch_benchmark,
    fetch_gold_states as fetch_gold_states,
    wrong_files as wrong_files,
)
from .folder import (
    has_benchmark as has_benchmark,
    packaged_folders as packaged_folders,
    write_example as write_example,
)
from .goals import (
    DomainTask as DomainTask,
    GoalsFile as GoalsFile,
    Task as Task,
    chosen_goals as chosen_goals,
    install_tasks as install_tasks,
    instructed_goals as instructed_goals,
    load_tasks as load_tasks,
    read_tasks as read_tasks,
    task_goals as task_goals,
)
from .gold_states import (
    all_gold_states as all_gold_states,
    import_gold_states as import_gold_states,
    installed_gold_states as installed_gold_states,
    load_further_gold as load_further_gold,
    load_gold_states as load_gold_states,
)
from .installed import (
    DEFAULT as DEFAULT,
    SAMPLE as SAMPLE,
    benchmark_path as benchmark_path,
    downloads_directory as downloads_directory,
    installed_benchmarks as installed_benchmarks,
    load_benchmark as load_benchmark,
    loaded_once as loaded_once,
)
