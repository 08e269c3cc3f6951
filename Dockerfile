# docker build -t mwz . && docker run --rm -v "$PWD:/work" -v mwz-data:/data mwz score answers.json
FROM python:3.13-slim
COPY . /source
RUN pip install --no-cache-dir /source && rm -r /source \
    && useradd --create-home mwz && mkdir /data /work && chown mwz /data /work
USER mwz
# `mwz data fetch` installs benchmarks here: keep it as a volume.
ENV MWZ_DATA=/data
VOLUME /data
WORKDIR /work
ENTRYPOINT ["mwz"]
