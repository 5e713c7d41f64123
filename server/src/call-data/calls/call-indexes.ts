import type { Kysely } from 'kysely'
import type { EngineName } from '../../database/engine.ts'
import { selectByIndex } from '../../database/list-indexes.ts'
import type { Tables } from '../../database/tables.ts'
import type { CallSearch } from './calls.ts'
import { ownerColumn } from './search-options.ts'

type Purpose = 'count' | 'page'

/**
 * Returns the index that an engine must be told to use.
 *
 * SQLite has no statistics of the values, so it would rather read all calls of a window in their order than the few with
 * an application or a status. MySQL would find the calls of a provider by a shorter index and read each record for its
 * numbers, which takes five times as long as an index that contains the numbers.
 */
const chooseIndex = (engine: EngineName, search: CallSearch, purpose: Purpose): string | undefined => {
  const [owner] = ownerColumn(search.owner)
  const readsNumbers = Boolean(search.text) || search.number !== undefined
  if (engine === 'mysql')
    return readsNumbers && purpose === 'count' && owner === 'service_provider_sid'
      ? 'patchbay_calls_search_sp'
      : undefined
  if (readsNumbers) return undefined
  if (search.application_sid !== undefined) return `patchbay_calls_application_${owner}`
  // An unknown status is stored as null or as a number that no index entry is searched for.
  return search.sip_status === undefined || search.sip_status === 0 ? undefined : `patchbay_calls_status_${owner}`
}

/** Selects from the calls of a search, to count them or to read a page, by the best index. */
export const selectCalls = (reader: Kysely<Tables>, engine: EngineName, search: CallSearch, purpose: Purpose) =>
  selectByIndex(reader, engine, 'patchbay_calls', chooseIndex(engine, search, purpose))
