import type { FieldValues } from 'react-hook-form'
import { useAction } from '../feedback/use-action.ts'
import { highlightRow } from '../list/list-navigation-state.ts'
import { useReturnToList } from '../list/use-return-to-list.ts'
import type { Screen } from '../routes/define-screen.ts'
import { useRedirectOnError } from '../screen/use-redirect-on-error.ts'
import { type RecordFormOptions, type RecordFormState, useRecordForm } from './use-record-form.tsx'

interface EditFormOptions<Values extends FieldValues> extends RecordFormOptions<Values> {
  sid: string
  list: Screen
  /** The error of the last refetch of the record, or null. */
  loadError: Error | null
  /** Path for users who have lost access to the record. Defaults to the list. */
  fallbackPath?: string
}

/**
 * Form of an existing record. Refetches never overwrite unsaved edits. After a save, the list opens with the row of
 * the record marked, unless `save` returns the stored values.
 */
export const useEditForm = <Values extends FieldValues>({
  sid,
  list,
  loadError,
  fallbackPath = list.path,
  save,
  ...options
}: EditFormOptions<Values>): RecordFormState<Values> => {
  const returnToList = useReturnToList(list)
  const state = useRecordForm<Values>({
    ...options,
    save: async (values, before) => {
      const storedValues = await save(values, before)
      highlightRow(list, sid)
      if (storedValues) return storedValues
      await returnToList()
    },
  })
  // A refetch that fails with an access error does not navigate away from unsaved edits. Saving reports the error.
  useRedirectOnError(state.form.formState.isDirty ? undefined : loadError, fallbackPath)
  return state
}

/** Like `useAction`, for updates that send changed members only. Does nothing if there are none. */
export const useUpdate = <Body extends object>(options: Parameters<typeof useAction<Body, unknown>>[0]) => {
  const { mutateAsync } = useAction(options)
  return async (body: Body): Promise<void> => {
    if (Object.keys(body).length > 0) await mutateAsync(body)
  }
}
