import { useEffect, useMemo, useRef, useState } from 'react'
import {
  type DefaultValues,
  type FieldPath,
  type FieldPathValue,
  type FieldValues,
  type UseFormReturn,
  useForm,
} from 'react-hook-form'
import type { z } from '../zod.ts'
import { createChangeResolver } from './change-resolver.ts'
import { isSame, untouched } from './compare-values.ts'

/** A record, and how its values become those of the form. */
export interface Versioned<Values> {
  /** The record, or an object with several records by name. */
  record: object
  /**
   * @param record what an endpoint returns for the record, or an object of such records
   * @param formValues the values in the form, whose rows can have another order
   */
  toValues: (record: never, formValues: Values) => Values | Promise<Values>
}

export interface StoredFormOptions<Values extends FieldValues> {
  schema: z.ZodMiniType<Values, Values>
  /** The stored values. For an existing record, those that were read last. */
  stored: Values
  /** The record that `stored` comes from. The server compares it before an update. Absent for a new record. */
  versioned?: Versioned<Values>
}

/** Stored values, and the record that they come from. */
export interface Stored<Values> {
  values: Values
  record?: object | undefined
}

interface StoredForm<Values extends FieldValues> {
  form: UseFormReturn<Values>
  /** The stored values that the form started from. */
  before: Stored<Values>
  /** Sets the stored values and the form values. */
  start: (now: Stored<Values>, formValues: Values) => void
}

/**
 * Returns a form of stored values, which can change while it is open: a later read updates a form without changes. In a
 * form with changes, initial values of a new record still reach the fields that the user has not touched.
 * @param onArrival called after such values have reached the form, with the values before
 */
export const useStoredForm = <Values extends FieldValues>(
  { schema, stored: latest, versioned }: StoredFormOptions<Values>,
  onArrival: (previous: Values) => void,
): StoredForm<Values> => {
  const isNew = versioned === undefined
  const [before, setBefore] = useState<Stored<Values>>({ values: latest, record: versioned?.record })
  const [stored, setStored] = useState(latest)
  const form = useForm<Values>({
    resolver: useMemo(() => createChangeResolver(schema), [schema]),
    context: isNew ? undefined : before.values,
    defaultValues: latest as DefaultValues<Values>,
    mode: 'onTouched',
  })
  const { isDirty, isSubmitting } = form.formState
  /** The values that the form was last reset to. */
  const initialValues = useRef(latest)
  const announce = useRef(onArrival)
  useEffect(() => {
    announce.current = onArrival
  })

  // A read during a save takes effect after it.
  if (stored !== latest && !isSubmitting) {
    setStored(latest)
    if (!isDirty || isNew) setBefore({ values: latest, record: versioned?.record })
  }
  useEffect(() => {
    const previous = initialValues.current
    initialValues.current = before.values
    if (isSame(previous, before.values)) return
    const current = structuredClone(form.getValues())
    // Compares with the current form values, because the user may have typed since the last render.
    if (isSame(previous, current)) form.reset(before.values)
    else
      for (const [path, value] of untouched(previous, current, before.values))
        form.resetField(path as FieldPath<Values>, { defaultValue: value as FieldPathValue<Values, FieldPath<Values>> })
    announce.current(current)
  }, [before, form])

  return {
    form,
    before,
    start: (now, formValues) => {
      setBefore(now)
      initialValues.current = now.values
      form.reset(now.values)
      form.reset(formValues, { keepDefaultValues: true })
    },
  }
}
