import { zodResolver } from '@hookform/resolvers/zod'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import {
  type DefaultValues,
  type FieldPath,
  type FieldPathValue,
  type FieldValues,
  useForm,
  type UseFormReturn,
} from 'react-hook-form'
import { ApiError } from '../api/api-error.ts'
import { onSessionEnd, requiredSession } from '../session/session.ts'
import { ConflictDialog, type ConflictFormatters } from './conflict-dialog.tsx'
import { keepDraft, takeDraft } from './session-draft.ts'
import { isSame, type Merge, mergeValues, untouched } from './merge-values.ts'
import type { z } from '../zod.ts'
import { showErrorToast } from '../feedback/use-action.ts'
import { PartialFailure } from './save-in-parts.ts'
import { useUnsavedGuard } from './unsaved-guard.tsx'

/** What of a form cannot be saved, by field. */
export type FieldErrors<Values extends FieldValues> = Partial<Record<FieldPath<Values>, string>>

interface RecordFormOptions<Values extends FieldValues> {
  schema: z.ZodMiniType<Values, Values>
  /** what is stored: of a record that is edited, as it was last read */
  stored: Values
  /** reads the record once more before it is saved, so that nobody's change is lost; not for a new one */
  latest?: (shown: Values) => Promise<Values>
  /** what only the server can say before a save; `before` is what is stored */
  check?: (values: Values, before: Values) => Promise<FieldErrors<Values>>
  /** saves; `before` is what is stored. Answers what is stored after it, where that is not what was sent */
  save: (values: Values, before: Values) => Promise<Values | void>
  /** what fields hold, in words, where both have changed one */
  conflictTexts?: ConflictFormatters
  /** where a refusal of the server belongs */
  refusal?: (failure: ApiError) => FieldErrors<Values>
}

/** The state of a record's form, and how it is saved. */
export interface RecordFormState<Values extends FieldValues> {
  form: UseFormReturn<Values>
  submit: () => void
  submitError: unknown
  busy: boolean
  /** something of it was saved by itself: what that makes of what was stored, and of what shows */
  rebase: (stored: (before: Values) => Values, shown: (values: Values) => Values) => void
  /** what is asked: before unsaved changes are left, and whose change counts */
  prompt: ReactNode
}

interface Pending<Values> extends Merge<Values> {
  latest: Values
}

/** What is read before a save fails as loudly as the save itself. */
const told = async <Result,>(work: () => Promise<Result>): Promise<Result> => {
  try {
    return await work()
  } catch (error) {
    showErrorToast(error)
    throw error
  }
}

/** The fields that the schema has found wrong, not the server; lists as a whole are looked at when a row comes or goes. */
const checkedErrors = (errors: object, path = ''): string[] =>
  Object.entries(errors).flatMap(([name, error]: [string, unknown]) => {
    if (typeof error !== 'object' || error === null || name === 'ref') return []
    if (!('message' in error)) return checkedErrors(error, `${path}${name}.`)
    return 'type' in error && error.type && 'ref' in error && error.ref ? [`${path}${name}`] : []
  })

/** Thrown to end a save that must not go on; what stopped it is on the screen. */
class Stopped extends Error {}

/**
 * What adding and editing share: validation, one save at a time, the server's refusals at their fields, the question
 * when somebody else has changed the record meanwhile, and what was typed when a session ended.
 */
export const useRecordForm = <Values extends FieldValues>(
  options: RecordFormOptions<Values>,
): RecordFormState<Values> => {
  const { schema, latest, check, save, conflictTexts = {}, refusal } = options
  const [before, setBefore] = useState(options.stored)
  const [stored, setStored] = useState(options.stored)
  const form = useForm<Values>({
    resolver: zodResolver(schema),
    defaultValues: options.stored as DefaultValues<Values>,
    mode: 'onTouched',
  })
  const { isDirty, isSubmitting } = form.formState
  /** what the form was last put to, before anybody typed */
  const startOf = useRef(options.stored)
  const [submitError, setSubmitError] = useState<unknown>()
  const [pending, setPending] = useState<Pending<Values>>()
  const unsaved = useUnsavedGuard(isDirty)

  /** What is stored now, and what stands in the form. */
  const start = (now: Values, shown: Values) => {
    setBefore(now)
    startOf.current = now
    form.reset(now)
    form.reset(shown, { keepDefaultValues: true })
  }

  // A later read fills a form in which nothing was changed, and never touches one in which something was; what a new
  // record begins with still comes to the fields that nobody has touched.
  if (stored !== options.stored) {
    setStored(options.stored)
    if (!isSubmitting && (!isDirty || latest === undefined)) setBefore(options.stored)
  }
  useEffect(() => {
    const [was, shown] = [startOf.current, form.getValues()]
    startOf.current = before
    if (isSame(was, before)) return
    // Of the form itself, not of the last time it was drawn: something may have been typed since.
    if (isSame(was, shown)) form.reset(before)
    else
      for (const [path, value] of untouched(was, shown, before))
        form.resetField(path as FieldPath<Values>, { defaultValue: value as FieldPathValue<Values, FieldPath<Values>> })
  }, [before, form])

  useEffect(() => {
    const draft = takeDraft()
    if (draft !== undefined) form.reset(draft as Values, { keepDefaultValues: true })
    return onSessionEnd((ending) => {
      if (ending === 'unwanted' && form.formState.isDirty)
        keepDraft(requiredSession().claims.user_sid, form.getValues())
    })
  }, [form])

  // What is wrong with one field may be mended in another.
  useEffect(
    () =>
      form.subscribe({
        formState: { values: true },
        callback: ({ name }) => {
          const wrong = checkedErrors(form.formState.errors).filter((path) => path !== name)
          if (wrong.length > 0) void form.trigger(wrong as FieldPath<Values>[])
        },
      }),
    [form],
  )

  const showErrors = (errors: FieldErrors<Values>): boolean => {
    const found = Object.entries(errors).filter((entry): entry is [FieldPath<Values>, string] => Boolean(entry[1]))
    // The last that is set has the focus: the first field in error.
    for (const [field, message] of found.reverse()) form.setError(field, { message }, { shouldFocus: true })
    return found.length > 0
  }

  /** What was saved of the form is stored now; the rest is still to be. */
  const takeStored = async () => {
    if (latest === undefined) return
    const shown = form.getValues()
    try {
      const now = await latest(shown)
      start(now, mergeValues(before, shown, now).mine)
    } catch {
      // Then the next save finds out.
    }
  }

  const write = async (values: Values, from: Values) => {
    if (check && showErrors(await told(() => check(values, from)))) throw new Stopped()
    try {
      const now = (await save(values, from)) ?? values
      start(now, now)
    } catch (error) {
      if (error instanceof PartialFailure) await takeStored()
      throw error
    }
  }

  const saveMerged = async (given: Values) => {
    if (latest === undefined) return write(given, before)
    const now = await told(() => latest(given))
    const merge = mergeValues(before, given, now)
    if (merge.conflicts.length > 0) {
      setPending({ ...merge, latest: now })
      throw new Stopped()
    }
    return write(merge.mine, now)
  }

  const attempt = (how: (given: Values) => Promise<void>) => {
    if (form.formState.isSubmitting) return
    setSubmitError(undefined)
    const run = async (given: Values) => {
      try {
        await how(given)
      } catch (error) {
        if (error instanceof Stopped) throw error
        if (error instanceof ApiError && refusal) showErrors(refusal(error))
        setSubmitError(error)
        throw error
      }
    }
    // What is thrown has been shown; the form only has to know that it is not saved.
    form
      .handleSubmit(run)()
      .catch(() => {})
  }

  const decide = (mine: boolean) => {
    if (pending === undefined) return
    setPending(undefined)
    start(pending.latest, mine ? pending.mine : pending.theirs)
    if (mine) attempt((given) => write(given, pending.latest))
  }

  return {
    form,
    submit: () => attempt(saveMerged),
    submitError,
    busy: isSubmitting,
    rebase: (now, shown) => start(now(before), shown(form.getValues())),
    prompt: (
      <>
        {unsaved}
        {pending && (
          <ConflictDialog
            conflicts={pending.conflicts}
            texts={conflictTexts}
            onTheirs={() => decide(false)}
            onMine={() => decide(true)}
            onCancel={() => setPending(undefined)}
          />
        )}
      </>
    ),
  }
}
