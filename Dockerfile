# docker build -t endgame-tui . && docker run -it --rm -v endgame-tui:/data endgame-tui
FROM python:3.13-slim

COPY pyproject.toml hatch_build.py README.md LICENSE /src/
COPY core /src/core
COPY tui /src/tui
COPY data /src/data
COPY docs/man /src/docs/man
RUN pip install --no-cache-dir "/src[serve]" && rm -r /src \
    && useradd --create-home player && install -d -o player /data

USER player
ENV ENDGAME_TUI_HOME=/data XDG_CACHE_HOME=/data/cache LANG=C.UTF-8 TERM=xterm-256color
VOLUME /data
ENTRYPOINT ["endgame-tui"]
