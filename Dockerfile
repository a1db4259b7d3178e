# The executable on a base with glibc and nothing else: no shell, no package manager, not root.
# The release's workflow puts linux/amd64 and linux/arm64 executables into dist/ before.
FROM debian:bookworm-slim AS files
ARG TARGETARCH
COPY dist/galley-linux-x64 /in/amd64/galley
COPY dist/galley-linux-arm64 /in/arm64/galley
# owned by the user of the base, so that a new volume is, too
RUN mkdir -p /out/usr/local/bin /out/project \
 && cp "/in/${TARGETARCH}/galley" /out/usr/local/bin/galley \
 && chmod 755 /out/usr/local/bin/galley \
 && chown -R 65532:65532 /out/project

FROM gcr.io/distroless/base-nossl-debian12:nonroot
COPY --from=files /out/ /
USER 65532:65532
WORKDIR /project
# the project: schemas, configuration, and .galley/ with the database
VOLUME /project
ENV HOST=0.0.0.0 PORT=1337 NODE_ENV=production
EXPOSE 1337
HEALTHCHECK --interval=30s --timeout=5s --start-period=5s --retries=3 CMD ["/usr/local/bin/galley", "health"]
ENTRYPOINT ["/usr/local/bin/galley"]
CMD ["serve"]
