import type { QueryKey } from '@tanstack/react-query'
import { ApiError, errorMessage, getRequestId } from '../api/api-error.ts'
import { endsSession } from '../api/batches.ts'
import { queryClient } from '../api/query-client.ts'
import { useAction } from '../feedback/use-action.ts'
import { findChangedRecord, withErrorToast } from './changed-record.ts'

/** A request of a save that consists of several requests. */
export interface SavePart {
  /** The saved part, for messages. */
  what: string
  save: () => Promise<unknown>
  /** The member of the form's records that the request updates, if the form has several records. */
  record?: string
  /** The values of the form that are stored after the request. */
  values?: object
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
export class PartialFailure extends ApiError {
  /** The values of the form that the other parts have stored, if any were saved. */
  saved: object | undefined
  /** Stored values that differ from those in the form, such as the SIDs of new rows. */
  stored: object | undefined
  /** The member of the form's records that another user has changed. */
  changed: string | undefined
}

/**
 * Returns the SID of the record that a failed creation has stored in part.
 * @param member the name of the SID in the response
 */
export const getCreatedSid = (error: unknown, member = 'sid'): string | undefined => {
  const sid = error instanceof PartialFailure ? error.answer[member] : undefined
  return typeof sid === 'string' ? sid : undefined
}

/** Returns the error of the first failure with another message. */
const partialFailure = (
  message: string,
  first: unknown,
  answer: Readonly<Record<string, unknown>>,
  saved: readonly SavePart[],
): PartialFailure => {
  const { kind = 'rejected', status = 0, field } = first instanceof ApiError ? first : {}
  const failure = new PartialFailure(kind, status, message, {
    ...(field === undefined ? {} : { field }),
    detail: errorMessage(first),
    answer,
    ...(getRequestId(first) === undefined ? {} : { requestId: getRequestId(first) }),
  })
  if (saved.length > 0) failure.saved = Object.assign({}, ...saved.map(({ values }) => values))
  return failure
}

/**
 * Saves the parts one after another. A failure does not stop the others, unless it ends the session, or another user has
 * changed the record of a part: then the form merges the changes before it saves the rest.
 * @param answer the response of a save that the parts complete, as far as it got
 * @throws PartialFailure that lists the saved and the failed parts, with the message of the first failure in `detail`
 */
export const saveInParts = async (
  parts: readonly SavePart[],
  answer?: Readonly<Record<string, unknown>>,
): Promise<void> => {
  const saved: SavePart[] = []
  const failed: FailedPart[] = []
  for (const part of parts)
    try {
      await part.save()
      saved.push(part)
    } catch (error) {
      if (endsSession(error)) throw error
      const record = failed.length === 0 && findChangedRecord(error)
      if (record)
        throw Object.assign(partialFailure(errorMessage(error), error, { record }, saved), { changed: part.record })
      failed.push({ what: part.what, error })
    }
  const [first] = failed
  if (first === undefined) return
  const savedNames = saved.map(({ what }) => what)
  if (parts.length > 1) throw partialFailure(formatPartialFailure(savedNames, failed), first.error, answer ?? {}, saved)
  throw answer === undefined ? first.error : partialFailure(errorMessage(first.error), first.error, answer, saved)
}

/**
 * Returns the function that saves a form with several requests.
 * @param options `done` is the success message, `changes` are the keys of the queries that the save outdates
 */
export const useSaveParts = ({ done, changes }: { done: string; changes: readonly QueryKey[] }) => {
  const { mutateAsync } = useAction({
    run: async (parts: readonly SavePart[]) => {
      try {
        await saveInParts(parts)
      } catch (error) {
        // The saved values are displayed elsewhere, too. The form reads nothing before it merges a changed record.
        const refetchType = findChangedRecord(error) ? 'none' : 'active'
        for (const queryKey of changes) void queryClient.invalidateQueries({ queryKey, refetchType })
        throw error
      }
    },
    done: () => done,
    changes,
    quiet: true,
  })
  return (parts: readonly SavePart[]): Promise<void> => withErrorToast(() => mutateAsync(parts))
}
