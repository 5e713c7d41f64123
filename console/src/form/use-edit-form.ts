import type { QueryKey } from '@tanstack/react-query'
import type { FieldValues } from 'react-hook-form'
import { useAction } from '../feedback/use-action.ts'
import { highlightRow } from '../list/list-navigation-state.ts'
import { useReturnToList } from '../list/use-return-to-list.ts'
import type { Screen } from '../routes/define-screen.ts'
import { useRedirectOnError } from '../screen/use-redirect-on-error.ts'
import { withErrorToast } from './changed-record.ts'
import { type RecordFormOptions, type RecordFormState, type SaveOptions, useRecordForm } from './use-record-form.tsx'

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
    sendRequests: save,
    ...options,
    save: async (values, before, requestOptions) => {
      const storedValues = await save(values, before, requestOptions)
      highlightRow(list, sid)
      if (storedValues) return storedValues
      await returnToList()
    },
  })
  // A refetch that fails with an access error does not navigate away from unsaved edits. Saving reports the error.
  useRedirectOnError(state.form.formState.isDirty ? undefined : loadError, fallbackPath)
  return state
}

interface UpdateOptions<Body extends object> {
  run: (body: Body, options: SaveOptions) => Promise<unknown>
  done: () => string
  changes: readonly QueryKey[]
}

/**
 * Like `useAction`, for updates that send changed members only. Does nothing if there are none.
 */
export const useUpdate = <Body extends object>({ run, ...options }: UpdateOptions<Body>) => {
  const { mutateAsync } = useAction({
    run: ({ body, saveOptions }: { body: Body; saveOptions: SaveOptions }) => run(body, saveOptions),
    ...options,
    quiet: true,
  })
  return async (body: Body, saveOptions: SaveOptions = {}): Promise<void> => {
    if (Object.keys(body).length === 0) return
    await withErrorToast(() => mutateAsync({ body, saveOptions }))
  }
}
