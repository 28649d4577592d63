# docker build -t endgame-tui . && docker run -it --rm -v endgame-tui:/data endgame-tui
# HTTP: docker run --rm -p 9000:9000 -v endgame-tui:/data endgame-tui serve --http 0.0.0.0:9000
# The app in a browser, with a secret of yours in its address:
#   docker run --rm -p 8080:8080 -v endgame-tui:/data endgame-tui serve --web 0.0.0.0:8080 --listen --token SECRET
FROM python:3.13-slim

COPY pyproject.toml hatch_build.py README.md LICENSE /src/
COPY core /src/core
COPY tui /src/tui
COPY data /src/data
COPY docs/man /src/docs/man
RUN pip install --no-cache-dir "/src[serve,web]" && rm -r /src \
    && useradd --create-home player && install -d -o player /data

USER player
ENV ENDGAME_TUI_HOME=/data XDG_CACHE_HOME=/data/cache LANG=C.UTF-8 TERM=xterm-256color
VOLUME /data
EXPOSE 9000 8080
ENTRYPOINT ["endgame-tui"]
