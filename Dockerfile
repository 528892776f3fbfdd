FROM node:20-slim AS build
WORKDIR /rollcall
COPY package.json package-lock.json ./
RUN npm ci --no-audit --no-fund
COPY . .
RUN node scripts/prepare.mjs --force-build --no-temporal

FROM node:20-slim AS dependencies
WORKDIR /rollcall
COPY package.json package-lock.json ./
# Optional are the embedded Postgres, and compilers that only building needs.
RUN npm ci --omit=dev --omit=optional --no-audit --no-fund

FROM node:20-slim
# Node brings its own certificate authorities, but Temporal's native client looks for the system's.
RUN apt-get update && apt-get install --yes --no-install-recommends ca-certificates && rm -rf /var/lib/apt/lists/*
ENV NODE_ENV=production HOST=0.0.0.0
WORKDIR /rollcall
COPY package.json ./
COPY --from=dependencies /rollcall/node_modules node_modules
COPY --from=build /rollcall/dist/src dist/src
COPY --from=build /rollcall/dist/workflows dist/workflows
COPY --from=build /rollcall/dist/activities dist/activities
USER node
EXPOSE 5225
ENTRYPOINT ["node", "dist/src/main.js"]
CMD ["api"]
