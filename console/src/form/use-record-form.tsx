import { type ReactNode, useEffect, useRef, useState } from 'react'
import type { FieldPath, FieldValues, UseFormReturn } from 'react-hook-form'
import { ApiError } from '../api/api-error.ts'
import type { CallOptions } from '../api/client.ts'
import { queryClient } from '../api/query-client.ts'
import { lazyDialog } from '../lazy/lazy-dialog.tsx'
import { onSessionEnd, requiredSession } from '../session/session.ts'
import { findChangedRecord, withErrorToast } from './changed-record.ts'
import { isSame } from './compare-values.ts'
import type { ConflictFormatters } from './conflict-dialog.tsx'
import type { CopyRequestProps } from './copy-request/copy-request.tsx'
import type { Merge } from './merge-values.ts'
import { PartialFailure } from './save-in-parts.ts'
import { type FieldErrors, toFormErrors } from './server-errors.ts'
import { keepDraft, takeDraft } from './session-draft.ts'
import { useUnsavedGuard } from './unsaved-guard.tsx'
import { useRecheck } from './use-recheck.ts'
import { type Stored, type StoredFormOptions, useStoredForm } from './use-stored-form.ts'

/** Conflicts are rare, so the dialog loads when there is one. */
const ConflictDialog = lazyDialog('conflict', async () => (await import('./conflict-dialog.tsx')).ConflictDialog)

/** Options of the requests of a save. */
export type SaveOptions = Pick<CallOptions, 'base'>

export interface RecordFormOptions<Values extends FieldValues> extends StoredFormOptions<Values> {
  /** Validates what only the server knows before a save. `before` contains the stored values. */
  check?: (values: Values, before: Values) => Promise<FieldErrors<Values>>
  /**
   * Saves the form. `before` contains the stored values, and `options` the record that they come from. Returns the new
   * stored values if they differ from the sent ones.
   */
  save: (values: Values, before: Values, options: SaveOptions) => Promise<Values | void>
  /** Sends the requests of a save without what follows it. Defaults to `save`, if all that follows is in a `useAction`. */
  sendRequests?: (values: Values, before: Values, options: SaveOptions) => Promise<unknown>
  /** Formats the values of fields that both users have changed. */
  conflictFormatters?: ConflictFormatters
  /** Maps an error response to fields. */
  toFieldErrors?: (failure: ApiError) => FieldErrors<Values>
}

/** The state of a record's form, and how it is saved. */
export interface RecordFormState<Values extends FieldValues> {
  form: UseFormReturn<Values>
  /** The form creates a record. */
  isNew: boolean
  submit: () => void
  /** Validates the form for the requests of a save, which are shown instead of sent. */
  prepare: CopyRequestProps['prepare']
  submitError: unknown
  busy: boolean
  /**
   * Applies a change that took effect without a save, such as a deleted row, to the stored and the displayed values.
   * @param record the record as it was read after the change
   */
  rebase: (change: (values: Values) => Values, record?: object) => Promise<void>
  /** The dialogs about unsaved changes and conflicts. */
  prompt: ReactNode
}

/** Sends the values of a form. */
type Send<Values> = (formValues: Values) => Promise<void>

interface Pending<Values> extends Merge<Values> {
  latest: Stored<Values>
}

let checkCount = 0

/** Sends requests when there is a network, like all other queries, and shows that they are pending until then. */
const whenOnline = <Result,>(queryFn: () => Promise<Result>): Promise<Result> =>
  queryClient.fetchQuery({
    queryKey: ['check-of-form', (checkCount += 1)],
    queryFn,
    staleTime: 0,
    gcTime: 0,
    retry: false,
  })

/** Loads what only a save needs that another user's change precedes. */
const loadMerge = async () => (await import('./merge-values.ts')).mergeValues

/** More merges of one save are no work of users, but of a proxy that removes the versions of records. */
const maxMerges = 5

/** Returns whether the page has a field, which then states its own error. */
const isOnPage = (field: string): boolean => document.querySelector(`form [name="${CSS.escape(field)}"]`) !== null

/** Thrown to end a save that must not go on; what stopped it is on the screen. */
class Stopped extends Error {}

/**
 * The logic that adding and editing share: validation, one save at a time, server errors at their fields, the dialog
 * about conflicting changes, and the draft of an expired session.
 */
export const useRecordForm = <Values extends FieldValues>(
  options: RecordFormOptions<Values>,
): RecordFormState<Values> => {
  const { versioned, check, save, sendRequests = save, conflictFormatters = {}, toFieldErrors } = options
  const isNew = versioned === undefined
  /** The last attempt that was not sent because of invalid values, which initial values that arrive may complete. */
  const unsent = useRef<{ values: Values; again: () => void }>(undefined)
  const { form, before, start } = useStoredForm<Values>(options, (previous) => {
    const last = unsent.current
    if (isNew && last && isSame(last.values, previous)) last.again()
  })
  const { isDirty, isSubmitting } = form.formState
  const [submitError, setSubmitError] = useState<unknown>()
  const [pending, setPending] = useState<Pending<Values>>()
  const unsaved = useUnsavedGuard(isDirty)

  useEffect(() => {
    const draft = takeDraft()
    if (draft !== undefined) form.reset(draft as Values, { keepDefaultValues: true })
    return onSessionEnd((ending) => {
      if (ending !== 'wanted' && form.formState.isDirty) keepDraft(requiredSession().claims.user_sid, form.getValues())
    })
  }, [form])

  useRecheck(form)

  /** Returns the fields in error. */
  const showErrors = (errors: FieldErrors<Values>): string[] => {
    const fieldErrors = Object.entries(errors).filter((entry): entry is [FieldPath<Values>, string] =>
      Boolean(entry[1]),
    )
    // The last that is set has the focus: the first field in error.
    for (const [field, message] of fieldErrors.reverse()) form.setError(field, { message }, { shouldFocus: true })
    return fieldErrors.map(([field]) => field)
  }

  /** The cast is safe: `record` is the one that the form has read before. */
  const toStored = async (record: unknown, formValues: Values): Promise<Stored<Values> | undefined> =>
    record && versioned ? { values: await versioned.toValues(record as never, formValues), record } : undefined

  const rebase: RecordFormState<Values>['rebase'] = async (change, record) => {
    const base = { ...before, values: change(before.values) }
    const now = (await toStored(record, change(form.getValues()))) ?? base
    const mergeValues = await loadMerge()
    const formValues = change(form.getValues())
    const { conflicts, keepLocal } = mergeValues(base.values, formValues, now.values)
    // The next save asks about conflicting changes of another user.
    if (conflicts[0]) start(base, formValues)
    else start(now, keepLocal)
  }

  /** Saves the changes of the form on top of a newer record, unless both users have changed a field. */
  const saveOn = async (now: Stored<Values>, formValues: Values, base: Stored<Values>, mergeCount: number) => {
    const merge = (await loadMerge())(base.values, formValues, now.values)
    if (merge.conflicts.length === 0) return write(merge.keepLocal, now, formValues, base, mergeCount + 1)
    setPending({ ...merge, latest: now })
    throw new Stopped()
  }

  const runChecks = async (values: Values, from: Stored<Values>): Promise<void> => {
    const issues = check && (await withErrorToast(() => whenOnline(() => check(values, from.values))))
    if (issues && showErrors(issues).length > 0) throw new Stopped()
  }

  /**
   * @param formValues what the user has entered. `values` also contain the changes of other users.
   * @param base the stored values on which the user has entered them
   * @param mergeCount how often this save has merged changes of other users
   */
  const write = async (
    values: Values,
    from: Stored<Values>,
    formValues = values,
    base: Stored<Values> = from,
    mergeCount = 0,
  ): Promise<void> => {
    await runChecks(values, from)
    try {
      const now = (await save(values, from.values, { base: from.record })) ?? values
      start({ ...from, values: now }, now)
    } catch (error) {
      const failure = error instanceof PartialFailure ? error : undefined
      const record = findChangedRecord(error)
      const localValues = form.getValues()
      const inPart = await toStored(record ? undefined : failure?.answer['record'], localValues)
      if (inPart) {
        start(inPart, (await loadMerge())(base.values, localValues, inPart.values).keepLocal)
        throw error
      }
      // The parts that were saved before the failure are stored now, so they are neither sent again nor compared.
      const saved = failure?.saved
      const nextBase = { ...base, values: { ...base.values, ...saved, ...failure?.stored } }
      if (saved && versioned) start(nextBase, { ...localValues, ...saved })
      const nextValues = { ...formValues, ...saved }
      const now = await toStored(failure?.changed ? { ...from.record, [failure.changed]: record } : record, nextValues)
      if (!record || !now || mergeCount === maxMerges) throw error
      return saveOn({ ...now, values: { ...now.values, ...saved } }, nextValues, nextBase, mergeCount)
    }
  }

  const attempt = (how: Send<Values>) => {
    if (form.formState.isSubmitting) return
    setSubmitError(undefined)
    unsent.current = undefined
    const run = async (formValues: Values) => {
      try {
        await how(formValues)
      } catch (error) {
        if (error instanceof Stopped) throw error
        const errors = error instanceof ApiError ? toFormErrors(error, formValues, toFieldErrors) : {}
        const fields = showErrors(errors)
        const areOnPage = fields.length > 0 && fields.every(isOnPage)
        // The bar does not repeat what fields state, but says which parts were saved.
        if (!areOnPage || error instanceof PartialFailure) setSubmitError(error)
        throw error
      }
    }
    // The error is displayed already. The form only has to know that it was not saved.
    form
      .handleSubmit(run, () => {
        unsent.current = { values: structuredClone(form.getValues()), again: () => attempt(how) }
      })()
      .catch(() => {})
  }

  const decide = (keepMine: boolean) => {
    if (pending === undefined) return
    setPending(undefined)
    start(pending.latest, keepMine ? pending.keepLocal : pending.keepRemote)
    if (keepMine) attempt((formValues) => write(formValues, pending.latest))
  }

  return {
    form,
    isNew,
    submit: () => attempt((formValues) => write(formValues, before)),
    prepare: (use) =>
      attempt(async (values) => {
        await runChecks(values, before)
        use(() => sendRequests(values, before.values, { base: before.record }))
      }),
    submitError,
    busy: isSubmitting,
    rebase,
    prompt: (
      <>
        {unsaved}
        {pending && (
          <ConflictDialog
            conflicts={pending.conflicts}
            formatters={conflictFormatters}
            onTheirs={() => decide(false)}
            onMine={() => decide(true)}
            onClose={() => setPending(undefined)}
          />
        )}
      </>
    ),
  }
}
