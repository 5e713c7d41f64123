import type { DryRunRecord, NewBulkChange } from '@patchbay/contract/bulk-changes'
import { maxDryRunRecords } from '@patchbay/contract/bulk-changes/bulk-change-limits'
import { useQuery } from '@tanstack/react-query'
import { chunk, retryWhenBusy } from '../../api/batches.ts'
import { api } from '../../api/client.ts'

interface DryRun extends Pick<NewBulkChange, 'kind' | 'values'> {
  operation: 'update' | 'delete'
  sids: readonly string[]
}

/** Asks the server what a change of records would do, and splits them by whether they can be changed. */
export const useDryRun = ({ sids, ...change }: DryRun) => {
  const { data, ...query } = useQuery({
    queryKey: ['bulk-dry-run', change, sids],
    queryFn: async ({ signal }) => {
      const records: DryRunRecord[] = []
      for (const some of chunk(sids, maxDryRunRecords)) {
        const body = { ...change, sids: some }
        const part = await retryWhenBusy(() => api('POST /patchbay/bulk-changes/dry-run', { body }, { signal }))
        records.push(...part.records)
      }
      return records
    },
    gcTime: 0,
    // The change itself outdates what the dry run has returned, while the dialog shows it.
    staleTime: Number.POSITIVE_INFINITY,
  })
  return {
    ...query,
    isDone: data !== undefined,
    possible: data?.filter(({ reason }) => reason === null) ?? [],
    refused: data?.filter(({ reason }) => reason !== null) ?? [],
  }
}
