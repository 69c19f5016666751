# The package with everything compiled, so that a command starts at once:
#     docker build -t persian-rummy .
#     docker run --rm persian-rummy match champion expert --pairs 200
#     docker run --rm -p 8080:8080 persian-rummy serve --host 0.0.0.0 --port 8080
FROM python:3.13-slim

RUN useradd --create-home player
WORKDIR /source
COPY pyproject.toml README.md LICENSE ./
COPY persian_rummy_env persian_rummy_env
RUN pip install --no-cache-dir '.[play]'

USER player
WORKDIR /home/player
RUN persian-rummy warm-up
EXPOSE 8080
ENTRYPOINT ["persian-rummy"]
