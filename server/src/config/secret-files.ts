import { closeSync, openSync, readSync } from 'node:fs'

/** Secrets from files, as container platforms provide them: `NAME_FILE` is the path of a file that contains `NAME`. */

/** A secret is shorter. The limit stops the reading of a wrong file, such as a disk image or a device. */
const maxBytes = 64 * 1024

/** Returns the text of a file, or undefined if it is longer than the limit. Throws the error of the file system. */
const readShortFile = (path: string): string | undefined => {
  const handle = openSync(path, 'r')
  try {
    const bytes = Buffer.alloc(maxBytes + 1)
    let length = 0
    for (let count = -1; count !== 0 && length < bytes.length; length += count)
      count = readSync(handle, bytes, length, bytes.length - length, null)
    return length > maxBytes ? undefined : bytes.toString('utf8', 0, length)
  } finally {
    closeSync(handle)
  }
}

/** Reads the file of a secret. Returns a problem if it cannot be used, without the content of the file. */
const readSecretFile = (variable: string, path: string): { value: string } | { problem: string } => {
  try {
    const text = readShortFile(path)
    if (text === undefined) return { problem: `${variable} names ${path}, which is longer than 64 KiB` }
    const value = text.replace(/\r?\n$/, '')
    return value === '' ? { problem: `${variable} names ${path}, which is empty` } : { value }
  } catch {
    return { problem: `${variable} names ${path}, which cannot be read` }
  }
}

export interface ResolvedSecrets {
  /** The variables, with the secrets that files contain in the place of the variables that name the files. */
  variables: NodeJS.ProcessEnv
  /** A sentence without a period for each secret that cannot be used. */
  problems: string[]
}

/**
 * Replaces each `NAME_FILE` by `NAME` with the content of the file, without a newline at its end.
 * @param variables settings without empty ones
 * @param secretNames the settings that a file can contain
 */
export const resolveSecretFiles = (variables: NodeJS.ProcessEnv, secretNames: readonly string[]): ResolvedSecrets => {
  const resolved = { ...variables }
  const problems: string[] = []
  for (const name of secretNames) {
    const fileVariable = `${name}_FILE`
    const path = variables[fileVariable]
    if (path === undefined) continue
    delete resolved[fileVariable]
    if (variables[name] !== undefined) {
      problems.push(`${name} and ${fileVariable} are both set; remove one of them`)
      continue
    }
    const secret = readSecretFile(fileVariable, path)
    if ('problem' in secret) problems.push(secret.problem)
    else resolved[name] = secret.value
  }
  return { variables: resolved, problems }
}
