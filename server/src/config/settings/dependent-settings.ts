import { readFileSync } from 'node:fs'
import { InvalidConfigurationError } from '../invalid-configuration.ts'

/** Reads settings that need another setting or a file. */

type Texts<Name extends string> = Readonly<Partial<Record<Name, string | undefined>>>

/**
 * Returns the values of two settings, or null if both are unset.
 * @throws InvalidConfigurationError if only one of them is set
 */
export const requireBoth = <First extends string, Second extends string>(
  env: Texts<First | Second>,
  ...[first, second]: [First, Second]
): [string, string] | null => {
  const [firstValue, secondValue] = [env[first], env[second]]
  if ((firstValue === undefined) !== (secondValue === undefined))
    throw new InvalidConfigurationError(`${first} and ${second} must be set together, or neither of them.`)
  return firstValue !== undefined && secondValue !== undefined ? [firstValue, secondValue] : null
}

/**
 * Returns the text of the file that a setting names, or undefined if the setting is unset.
 * @throws InvalidConfigurationError if the file cannot be read
 */
export const readNamedFile = <Name extends string>(env: Texts<Name>, name: Name): string | undefined => {
  const file = env[name]
  if (file === undefined) return undefined
  try {
    return readFileSync(file, 'utf8')
  } catch {
    throw new InvalidConfigurationError(`${name} names ${file}, which cannot be read.`)
  }
}
