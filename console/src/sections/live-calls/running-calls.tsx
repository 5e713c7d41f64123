import type { LiveCall } from '@patchbay/contract/live-calls'
import { isOver } from '@patchbay/contract/shared/call-changes'
import { useQuery } from '@tanstack/react-query'
import { errorMessage } from '../../api/api-error.ts'
import { queryClient } from '../../api/query-client.ts'
import type { OwnerSid } from '../../api/record-queries.ts'
import { CheckboxField } from '../../ui/fields/field.tsx'
import { countText, formatCount } from '../../ui/format/text.ts'
import { endCall } from './end-call.ts'
import { hasLiveCalls, liveCallsQuery } from './live-calls-query.ts'

/** Calls of an account, or of all accounts of a service provider, that are in progress while it is deactivated or deleted. */

const listRunning = (calls: readonly LiveCall[]) => calls.filter(({ call_status }) => !isOver(call_status))

export const countCalls = (count: number): string => countText(count, count, ['call', 'calls'])

/**
 * Ends the calls of an owner that are in progress, one after another: the platform confirms each immediately. Returns how many
 * it could end, and how many not.
 */
export const endCalls = async (owner: OwnerSid): Promise<{ ended: number; failed: number }> => {
  const { calls } = await queryClient.fetchQuery({ ...liveCallsQuery(owner), staleTime: 0 })
  const results = { ended: 0, failed: 0 }
  for (const { account_sid, call_sid, call_status } of listRunning(calls))
    try {
      await endCall({ account_sid, call_sid, call_status })
      results.ended += 1
    } catch {
      results.failed += 1
    }
  return results
}

interface RunningCalls {
  sentence: string
  /** 0 if it is not known. */
  count: number
  /** True if it is known that no call is in progress. */
  isNone?: boolean
}

/** The calls of an owner that are in progress, as a sentence, and their number if it is known. */
export const useRunningCalls = (owner: OwnerSid): RunningCalls => {
  // An error of the last time that the dialog was open says nothing about now.
  const { data, error } = useQuery({ ...liveCallsQuery(owner), enabled: hasLiveCalls(), retryOnMount: true })
  if (!hasLiveCalls()) return { sentence: 'Calls in progress, which are not known here without Redis.', count: 0 }
  if (data === undefined)
    return {
      sentence: error
        ? `Calls in progress, which could not be counted: ${errorMessage(error)}.`
        : 'Calls in progress, which are being counted…',
      count: 0,
    }
  const count = listRunning(data.calls).length
  // Calls that are not listed could not be ended.
  if (data.isCut) return { sentence: `More than ${formatCount(count)} calls in progress.`, count: 0 }
  const isNone = count === 0
  return { sentence: isNone ? 'No call is in progress.' : `${countCalls(count)} in progress.`, count, isNone }
}

interface EndCallsFieldProps {
  count: number
  checked: boolean
  onCheck: (on: boolean) => void
}

/** Asks whether to end the calls in progress, if there are any. */
export const EndCallsField = ({ count, checked, onCheck }: EndCallsFieldProps) =>
  count > 0 && (
    <CheckboxField
      label={`End the ${countCalls(count)} in progress`}
      checked={checked}
      onChange={({ target }) => onCheck(target.checked)}
    />
  )
