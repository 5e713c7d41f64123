import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readConfiguration, secretNames, settingNames } from '@patchbay/server/config/configuration'

/** Checks the environment of a container with the code that reads the configuration of the server. */

const secretFiles: readonly string[] = secretNames.map((name) => `${name}_FILE`)

/** Returns the names in an environment that are not settings. */
export const listUnknownSettings = (env: Readonly<Record<string, string>>): string[] =>
  Object.keys(env).filter((name) => !settingNames.includes(name) && !secretFiles.includes(name))

/** Returns the paths of the files from which an environment reads secrets. */
export const listSecretFiles = (env: Readonly<Record<string, string>>): string[] =>
  Object.entries(env).flatMap(([name, path]) => (secretFiles.includes(name) ? [path] : []))

/**
 * Reads an environment as the server does at its start.
 *
 * @param secrets the contents of the files that the environment names, by their path
 * @throws {InvalidConfigurationError} if the server would not start
 */
export const readSettings = (
  env: Readonly<Record<string, string>>,
  secrets: Readonly<Record<string, string>>,
): ReturnType<typeof readConfiguration> => {
  const folder = mkdtempSync(join(tmpdir(), 'patchbay-settings-'))
  try {
    const copies = Object.entries(env).map(([name, value], at) => {
      if (!secretFiles.includes(name)) return [name, value]
      const copy = join(folder, String(at))
      writeFileSync(copy, secrets[value] ?? '')
      return [name, copy]
    })
    return readConfiguration({ ...Object.fromEntries(copies), DATA_DIR: join(folder, 'data') })
  } finally {
    rmSync(folder, { recursive: true })
  }
}
