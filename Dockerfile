# The server with its weights inside, as a user without rights. Build:  docker build -t paraphrast .
# Run: docker run -p 127.0.0.1:8765:8765 -v "$PWD/token:/run/token:ro" paraphrast
FROM python:3.12-slim AS build
WORKDIR /build
RUN python -m venv /venv
ENV PATH=/venv/bin:$PATH
COPY pyproject.toml README.md LICENSE constraints.txt ./
COPY src src
COPY weights weights
RUN pip install --no-cache-dir --constraint constraints.txt \
      '.[serve]' ./weights/encoder ./weights/generator

FROM python:3.12-slim
COPY --from=build /venv /venv
ENV PATH=/venv/bin:$PATH PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1
RUN useradd --system --uid 10001 --no-create-home paraphrast
USER 10001
EXPOSE 8765
HEALTHCHECK --interval=30s --timeout=5s --start-period=20s --retries=3 \
  CMD ["python", "-c", "import urllib.request as u; u.urlopen('http://127.0.0.1:8765/healthz', timeout=4)"]
ENTRYPOINT ["paraphrast", "serve", "--host", "0.0.0.0"]
CMD ["--token-file", "/run/token"]
