import { readFileSync } from 'node:fs'
import packageJson from '../../../package.json' with { type: 'json' }
import type { BuildInfo } from '../http/health.ts'

/** Returns the commit that `scripts/install-and-build.mjs` writes beside the built server, or null without a build. */
const readCommit = (): string | null => {
  try {
    return readFileSync(new URL('./commit.txt', import.meta.url), 'utf8').trim() || null
  } catch {
    return null
  }
}

/**
 * Returns version, commit, and schema of this program.
 * @param migrations names of its migrations, oldest first
 */
export const readBuildInfo = (migrations: readonly string[]): BuildInfo => ({
  version: packageJson.version,
  commit: readCommit(),
  schema: migrations.at(-1) ?? '',
})
