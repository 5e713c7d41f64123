/** Finds environment variables that are probably misspelled settings. */

/** Beginnings of names that only settings of Patchbay have. */
const ownPrefixes = [
  'PATCHBAY_',
  'ACCOUNT_CALL_DATA_',
  'ACCOUNT_RECORDINGS_',
  'AUDIT_TRAIL_',
  'BACKUP_',
  'CALL_DATA_',
  'CLICKHOUSE_SPOOL_',
  'INTAKE_',
  'LOGIN_ATTEMPTS_',
  'METRICS_',
  'RATE_LIMIT_',
  'SESSION_MAX_',
  'TRACE_CALL_',
] as const

/** Variables of a port of a service, such as `STORE_PORT_9000_TCP_ADDR`. */
const servicePort = /_PORT_\d{1,5}_(?:TCP|UDP|SCTP)(?:_(?:PROTO|PORT|ADDR))?$/

/**
 * Returns whether Kubernetes, or a link of Docker, sets a variable for a service, which can have a name such as
 * `patchbay` or `backup-store`. A name that ends with `_PORT` can also be a setting, unless its value is a URL.
 */
const isServiceVariable = (name: string, value: string): boolean =>
  name.endsWith('_SERVICE_HOST') ||
  name.endsWith('_SERVICE_PORT') ||
  name.includes('_SERVICE_PORT_') ||
  servicePort.test(name) ||
  (name.endsWith('_PORT') && /^(?:tcp|udp|sctp):/.test(value))

/** Shorter names are near to many names of other programs. */
const minLength = 6
const maxDistance = 2

/** Returns the number of insertions, deletions, and replacements between two texts (Levenshtein distance). */
export const editDistance = (from: string, to: string): number => {
  let row = Array.from({ length: to.length + 1 }, (_, column) => column)
  for (let index = 0; index < from.length; index += 1) {
    const next = [index + 1]
    for (let column = 1; column <= to.length; column += 1) {
      const replaced = (row[column - 1] ?? 0) + (to[column - 1] === from[index] ? 0 : 1)
      next.push(Math.min(replaced, (row[column] ?? 0) + 1, (next[column - 1] ?? 0) + 1))
    }
    row = next
  }
  return row[to.length] ?? 0
}

const findSimilar = (name: string, settings: readonly string[]): string | undefined => {
  const spelling = name.toUpperCase().replaceAll(/[-.]/g, '_')
  const distances = settings
    .filter((setting) => Math.abs(setting.length - spelling.length) <= maxDistance)
    .map((setting) => ({ setting, distance: editDistance(spelling, setting) }))
    .filter(({ distance }) => distance <= maxDistance)
  return distances.toSorted((a, b) => a.distance - b.distance)[0]?.setting
}

export interface UnknownSetting {
  name: string
  /** A setting with a similar name, or null. */
  suggestion: string | null
}

/** Returns the longest setting that a name begins with, such as BACKUP_KEEP for BACKUP_KEEP_LAST. */
const findBeginning = (name: string, settings: readonly string[]): string | undefined =>
  settings.filter((setting) => name.startsWith(`${setting}_`)).toSorted((a, b) => b.length - a.length)[0]

const suggest = (name: string, settings: readonly string[]): string | null =>
  name.length < minLength ? null : (findSimilar(name, settings) ?? null)

/**
 * Returns the variables that are no settings, and whose names are similar to one or begin with a prefix of Patchbay.
 * @param settings the names of all settings
 */
export const findUnknownSettings = (variables: NodeJS.ProcessEnv, settings: readonly string[]): UnknownSetting[] =>
  Object.entries(variables).flatMap(([name, value = '']) => {
    if (value === '' || settings.includes(name) || isServiceVariable(name, value)) return []
    const suggestion = suggest(name, settings)
    if (suggestion !== null) return [{ name, suggestion }]
    const isOwn = ownPrefixes.some((prefix) => name.startsWith(prefix))
    return isOwn ? [{ name, suggestion: findBeginning(name, settings) ?? null }] : []
  })
