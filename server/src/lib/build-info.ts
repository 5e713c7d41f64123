import { readFileSync } from 'node:fs'
import packageJson from '../../../package.json' with { type: 'json' }

/** Identifies the running program. Everything that shows its version reads it here. */

export interface BuildInfo {
  version: string
  /** Git commit of the sources. Null if it is unknown. */
  commit: string | null
  /** Whether the sources differed from the commit. Null if that is unknown. */
  modified: boolean | null
}

/** Reads the file that `scripts/run/install-and-build.mjs` writes beside the built server. Tests run without a build. */
const readCommit = (): Omit<BuildInfo, 'version'> => {
  try {
    return JSON.parse(readFileSync(new URL('./commit.json', import.meta.url), 'utf8')) as Omit<BuildInfo, 'version'>
  } catch {
    return { commit: null, modified: null }
  }
}

export const buildInfo: Readonly<BuildInfo> = { version: packageJson.version, ...readCommit() }

/** Returns the commit in words, such as "commit 2578c136a1b2 with changes". */
export const describeCommit = ({ commit, modified }: Omit<BuildInfo, 'version'>): string => {
  if (commit === null) return 'an unknown commit'
  const changes = modified === null ? ', possibly with changes' : modified ? ' with changes' : ''
  return `commit ${commit.slice(0, 12)}${changes}`
}
