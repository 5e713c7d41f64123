import { stored } from '../../session/storage.ts'

/** The chosen columns of lists in the browser, as JSON by screen. They are shown until the server has responded. */

const readAll = (): Record<string, unknown> => {
  try {
    return Object(JSON.parse(stored.listColumns.read() ?? '{}')) as Record<string, unknown>
  } catch {
    return {}
  }
}

/** Returns the ids of the columns of a list, or undefined for the default columns. */
export const readColumns = (screen: string): string[] | undefined => {
  const ids = readAll()[screen]
  return Array.isArray(ids) && ids.length > 0 ? ids.map(String) : undefined
}

export const writeColumns = (screen: string, ids: readonly string[] | null): void =>
  stored.listColumns.write(JSON.stringify({ ...readAll(), [screen]: ids ?? undefined }))
