# The newest Node with long-term support. Digests are those of the multi-platform image; change tag and digest together.
FROM node:24.21.0-bookworm-slim@sha256:0e0ff40c39bc087845bfb27465a0df4ea419520094bc35842ff83dd8cbe6f9b6 AS build
WORKDIR /rollcall
COPY package.json package-lock.json ./
RUN npm ci --no-audit --no-fund
COPY . .
RUN node scripts/prepare.mjs --force-build --no-temporal

FROM node:24.21.0-bookworm-slim@sha256:0e0ff40c39bc087845bfb27465a0df4ea419520094bc35842ff83dd8cbe6f9b6 AS dependencies
WORKDIR /rollcall
COPY package.json package-lock.json ./
# Optional are the embedded Postgres, and compilers that only building needs.
RUN npm ci --omit=dev --omit=optional --no-audit --no-fund

FROM node:24.21.0-bookworm-slim@sha256:0e0ff40c39bc087845bfb27465a0df4ea419520094bc35842ff83dd8cbe6f9b6
# Node brings its own certificate authorities, but Temporal's native client looks for the system's.
RUN apt-get update && apt-get install --yes --no-install-recommends ca-certificates && rm -rf /var/lib/apt/lists/*
ENV NODE_ENV=production HOST=0.0.0.0
WORKDIR /rollcall
COPY package.json ./
COPY --from=dependencies /rollcall/node_modules node_modules
COPY --from=build /rollcall/dist/src dist/src
COPY --from=build /rollcall/dist/workflows dist/workflows
COPY --from=build /rollcall/dist/activities dist/activities
# Nothing here is written to: the root file system may be read-only. Node wants a /tmp that may be written to.
USER node
EXPOSE 5225
ENTRYPOINT ["node", "dist/src/main.js"]
CMD ["api"]
