# The app for one person, without network. The folder that `make bundle` makes is the context, so that
# the build needs no network either:
#
#     make bundle ARGS='--python 3.13'
#     docker build --network none --tag composition dist/composition-*
#
# How to run it, and how to let several people use it: docs/serving.md.
ARG PYTHON=3.13

FROM python:${PYTHON}-slim AS installed
COPY . /bundle
RUN python /bundle/install.py /opt/composition

FROM python:${PYTHON}-slim
COPY --from=installed /opt/composition /opt/composition
USER 10001:10001
ENV HOME=/nonexistent PYTHONDONTWRITEBYTECODE=1
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s CMD ["/opt/composition/bin/composition", "--healthy"]
ENTRYPOINT ["/opt/composition/bin/composition"]
CMD ["--socket", "/run/composition/app.sock"]
