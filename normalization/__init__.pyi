"""What other rooms may use of this one."""

from .normalizing import (
    NAME as NAME,
    PLACEHOLDER as PLACEHOLDER,
    STEPS as STEPS,
    BeliefState as BeliefState,
    DomainSlots as DomainSlots,
    clock_of as clock_of,
    minutes as minutes,
    normalize_response as normalize_response,
    normalize_slot_name as normalize_slot_name,
    normalize_state as normalize_state,
    normalize_value as normalize_value,
    normalized_text as normalized_text,
    placeholder_names as placeholder_names,
    plain_characters as plain_characters,
    plain_slot_name as plain_slot_name,
    without_absent_slots as without_absent_slots,
    without_empty_domains as without_empty_domains,
)
from .packages import (
    DeclarationError as DeclarationError,
    blamed as blamed,
    declared as declared,
    digest_of_json as digest_of_json,
    folder_of as folder_of,
    names as names,
    package_fault as package_fault,
    package_versions as package_versions,
    read_toml as read_toml,
    sha256 as sha256,
)
from .rules import (
    DEFAULT_RULES as DEFAULT_RULES,
    DONTCARE as DONTCARE,
    Aliases as Aliases,
    RuleSet as RuleSet,
    alias_tables as alias_tables,
    errata as errata,
    is_absent as is_absent,
    is_dontcare as is_dontcare,
    is_public_constraint as is_public_constraint,
    plain_spelling as plain_spelling,
    published_rule_sets as published_rule_sets,
    rule_set as rule_set,
    rule_set_names as rule_set_names,
)
from .schemas import typed as typed
