# Node 26 has long-term support since October 2026. Digests are those of the multi-platform image; change tag and digest together.
FROM node:26.11.1-bookworm-slim@sha256:86f07bc9c5dce4578cf37e5a418b7bfc7f817cda25cde66e2b66e95ed86c4567 AS build
WORKDIR /rollcall
COPY package.json package-lock.json ./
RUN npm ci --no-audit --no-fund
COPY . .
RUN node scripts/prepare.mjs --force-build --no-temporal

FROM node:26.11.1-bookworm-slim@sha256:86f07bc9c5dce4578cf37e5a418b7bfc7f817cda25cde66e2b66e95ed86c4567 AS dependencies
WORKDIR /rollcall
COPY package.json package-lock.json ./
# Leaves out the embedded Postgres, and compilers that only the build needs.
RUN npm ci --omit=dev --omit=optional --no-audit --no-fund

FROM node:26.11.1-bookworm-slim@sha256:86f07bc9c5dce4578cf37e5a418b7bfc7f817cda25cde66e2b66e95ed86c4567
# Node has its own certificate authorities, but Temporal's native client uses those of the system.
RUN apt-get update && apt-get install --yes --no-install-recommends ca-certificates && rm -rf /var/lib/apt/lists/*
# The limits of requests and deliveries assume a heap of this size. Buffers are outside the heap: give the container twice as much memory.
# The malloc settings return freed memory to the system: by default the C library keeps much of it after large requests.
ENV MALLOC_ARENA_MAX=2 MALLOC_MMAP_THRESHOLD_=262144 MALLOC_TRIM_THRESHOLD_=262144
ENV NODE_ENV=production HOST=0.0.0.0 NODE_OPTIONS=--max-old-space-size=512
WORKDIR /rollcall
COPY package.json ./
COPY --from=dependencies /rollcall/node_modules node_modules
COPY --from=build /rollcall/dist/src dist/src
COPY --from=build /rollcall/dist/workflows dist/workflows
COPY --from=build /rollcall/dist/activities dist/activities
COPY --from=build /rollcall/dist/console dist/console
COPY docs docs
# Rollcall writes only to /tmp, so the root file system may be read-only.
USER node
EXPOSE 5225
ENTRYPOINT ["node", "dist/src/main.js"]
CMD ["api"]
