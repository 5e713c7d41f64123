import { defaultValues, secretNames, settingNames } from './configuration.ts'
import { findUnknownSettings, type UnknownSetting } from './unknown-settings.ts'

/** Lists the settings of an environment without their secrets. */

export interface ListedSetting {
  name: string
  source: 'environment' | 'file' | 'default'
  /** Null for secrets. */
  value: string | null
}

export interface SettingsList {
  settings: ListedSetting[]
  unknown: UnknownSetting[]
}

const redactWord = (word: string): string => {
  const start = word.indexOf('//')
  const end = word.lastIndexOf('@')
  return start < 0 || end < start ? word : `${word.slice(0, start)}//…${word.slice(end)}`
}

/** Hides user and password of URLs, also in lists of URLs and in values that are no URLs. */
const redactUrls = (value: string): string => value.replaceAll(/\S+/g, redactWord)

const describe = (variables: NodeJS.ProcessEnv, name: string): ListedSetting | undefined => {
  const isSecret = secretNames.includes(name)
  const value = variables[name]
  if (value) return { name, source: 'environment', value: isSecret ? null : redactUrls(value) }
  if (isSecret && variables[`${name}_FILE`]) return { name, source: 'file', value: null }
  const defaultValue = defaultValues[name]
  return defaultValue === undefined ? undefined : { name, source: 'default', value: defaultValue }
}

/** Returns the settings that have a value, and the variables that are probably misspelled settings. */
export const listSettings = (variables: NodeJS.ProcessEnv): SettingsList => {
  const accepted = [...settingNames, ...secretNames.map((name) => `${name}_FILE`)]
  return {
    settings: settingNames.flatMap((name) => describe(variables, name) ?? []),
    unknown: findUnknownSettings(variables, accepted),
  }
}
