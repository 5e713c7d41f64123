import type { SavedView } from '@patchbay/contract/saved-views'
import type { ViewedScreen } from '@patchbay/contract/shared/viewed-screens'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { api } from '../../api/client.ts'
import { config } from '../../api/configuration.ts'
import { queryCallOptions } from '../../api/shared-queries.ts'
import { readColumns, writeColumns } from './stored-columns.ts'

interface ListSettings {
  /** Null for the default columns. */
  columns: string[] | null
  views: SavedView[]
}

/** Returns whether the server stores the views of users. */
export const hasSavedViews = (): boolean => config().extensions.has('saved-views')

/** The columns and saved views of the user for a list. A failure shows in the menu of views only. */
export const listSettingsQuery = (screen: ViewedScreen) =>
  queryOptions({
    queryKey: ['list-settings', screen],
    queryFn: async (context): Promise<ListSettings> => {
      const options = { ...queryCallOptions(context), unasked: true }
      const settings = await api('GET /patchbay/list-settings', { query: { screen } }, options)
      writeColumns(screen, settings.columns)
      return settings
    },
    staleTime: 60_000,
  })

/**
 * Returns the ids of the columns to show: those in the URL, or else the user's own. Undefined for the default columns.
 * @param inUrl ids separated by commas
 */
export const useChosenColumns = (screen: ViewedScreen, inUrl: string | undefined): readonly string[] | undefined => {
  const { data } = useQuery(listSettingsQuery(screen))
  if (inUrl !== undefined) return inUrl.split(',')
  return data === undefined ? readColumns(screen) : (data.columns ?? undefined)
}

/** Returns the chosen columns in their order. Columns that no longer exist are left out. */
export const pickColumns = <Column extends { id: string }>(
  columns: readonly Column[],
  ids: readonly string[] | undefined,
  defaults: readonly Column[],
): readonly Column[] => {
  const picked = (ids ?? []).flatMap((id) => columns.find((column) => column.id === id) ?? [])
  return picked.length === 0 ? defaults : picked
}
