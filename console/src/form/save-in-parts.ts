import type { QueryKey } from '@tanstack/react-query'
import { ApiError, errorMessage, getRequestId } from '../api/api-error.ts'
import { endsSession } from '../api/batches.ts'
import { queryClient } from '../api/query-client.ts'
import { useAction } from '../feedback/use-action.ts'

/** A request of a save that consists of several requests. */
export interface SavePart {
  /** The saved part, for messages. */
  what: string
  save: () => Promise<unknown>
}

interface FailedPart {
  what: string
  error: unknown
}

const listed = (names: readonly string[]): string => names.join(', ')

const formatPartialFailure = (saved: readonly string[], failed: readonly FailedPart[]): string => {
  const reasons = failed.map(({ what, error }) => `${what} (${errorMessage(error)})`)
  return [...(saved.length > 0 ? [`Saved: ${listed(saved)}.`] : []), `Not saved: ${listed(reasons)}.`].join(' ')
}

/**
 * A part of the values was saved and another part was not. If the save creates a record, `answer` is the response that
 * it would have, as far as it got.
 */
export class PartialFailure extends ApiError {}

/**
 * Returns the SID of the record that a failed creation has stored in part.
 * @param member the name of the SID in the response
 */
export const getCreatedSid = (error: unknown, member = 'sid'): string | undefined => {
  const sid = error instanceof PartialFailure ? error.answer[member] : undefined
  return typeof sid === 'string' ? sid : undefined
}

/** Returns the error of the first failure with another message. */
const partialFailure = (message: string, first: unknown, answer: Readonly<Record<string, unknown>>): ApiError => {
  const { kind = 'rejected', status = 0, field } = first instanceof ApiError ? first : {}
  return new PartialFailure(kind, status, message, {
    ...(field === undefined ? {} : { field }),
    detail: errorMessage(first),
    answer,
    ...(getRequestId(first) === undefined ? {} : { requestId: getRequestId(first) }),
  })
}

/**
 * Saves the parts one after another. A failure does not stop the others, unless it ends the session.
 * @param answer the response of a save that the parts complete, as far as it got
 * @throws PartialFailure that lists the saved and the failed parts, with the message of the first failure in `detail`
 */
export const saveInParts = async (
  parts: readonly SavePart[],
  answer?: Readonly<Record<string, unknown>>,
): Promise<void> => {
  const saved: string[] = []
  const failed: FailedPart[] = []
  for (const { what, save } of parts)
    try {
      await save()
      saved.push(what)
    } catch (error) {
      if (endsSession(error)) throw error
      failed.push({ what, error })
    }
  const [first] = failed
  if (first === undefined) return
  if (parts.length > 1) throw partialFailure(formatPartialFailure(saved, failed), first.error, answer ?? {})
  throw answer === undefined ? first.error : partialFailure(errorMessage(first.error), first.error, answer)
}

/**
 * Returns the action for a save that consists of several requests.
 * @param options `done` is the success message, `changes` are the keys of the queries that the save outdates
 */
export const useSaveParts = ({ done, changes }: { done: string; changes: readonly QueryKey[] }) =>
  useAction({
    run: async (parts: readonly SavePart[]) => {
      try {
        await saveInParts(parts)
      } catch (error) {
        // The saved values are displayed elsewhere, too.
        for (const queryKey of changes) void queryClient.invalidateQueries({ queryKey })
        throw error
      }
    },
    done: () => done,
    changes,
  })
