# The app for one person, without network. The folder that `make bundle` makes is the context, so that
# the build needs no network either:
#
#     make bundle ARGS='--python 3.13'
#     docker build --network none --tag composition dist/composition-*
#
# How to run it, and how to let several people use it: docs/serving.md. The base is pinned by its digest;
# for another one: --build-arg BASE=...
ARG BASE=python:3.13-slim@sha256:7c61056e61ac89e852de05f3dc6fa51a6dd2181797bceed46aa725dd7cb2cd3b

FROM ${BASE} AS installed
COPY . /bundle
RUN python /bundle/install.py /opt/composition

FROM ${BASE}
COPY --from=installed /opt/composition /opt/composition
USER 10001:10001
ENV HOME=/nonexistent PYTHONDONTWRITEBYTECODE=1
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s CMD ["/opt/composition/bin/composition", "--healthy"]
ENTRYPOINT ["/opt/composition/bin/composition"]
CMD ["--socket", "/run/composition/app.sock"]
