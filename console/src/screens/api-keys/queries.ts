import type { QueryInput } from '@patchbay/contract/api/endpoint'
import type { Contract } from '@patchbay/contract/contract'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { api, type CallOptions } from '../../api/client.ts'
import { apiKeysKey } from '../../api/record-queries.ts'
import { queryCallOptions } from '../../api/shared-queries.ts'
import { apiKeyList } from '../../routes/api-keys.ts'
import type { FindRecords } from '../../routes/record-link.ts'

type KeyQuery = QueryInput<Contract['GET /patchbay/service-providers/:service_provider_sid/api-keys']>

/** Reads a page of the API keys of a service provider and its accounts. */
export const readKeys = (service_provider_sid: string, query: KeyQuery, options: CallOptions = {}) =>
  api(
    'GET /patchbay/service-providers/:service_provider_sid/api-keys',
    { params: { service_provider_sid }, query },
    options,
  )

export const ownedKeysQuery = (service_provider_sid: string, query: KeyQuery) =>
  queryOptions({
    queryKey: [...apiKeysKey, 'page', service_provider_sid, query],
    queryFn: (context) => readKeys(service_provider_sid, query, queryCallOptions(context)),
    placeholderData: keepPreviousData,
  })

/** The number of keys that the command palette searches, which is the largest page. */
const searchedKeys = 500

/** Returns the newest named keys for the command palette. A key has no page, so it is shown in the list. */
export const findRecords: FindRecords = async ({ service_provider_sid, read }) => {
  const { data } = await read(ownedKeysQuery(service_provider_sid, { page: '1', count: String(searchedKeys) }))
  return data.flatMap(({ api_key_sid, name }) =>
    name
      ? [{ label: name, sid: api_key_sid, link: { to: apiKeyList.path, params: {}, search: { filter: name } } }]
      : [],
  )
}
