import type { QueryKey } from '@tanstack/react-query'
import type { FieldValues } from 'react-hook-form'
import { ApiError } from '../api/api-error.ts'
import { showErrorToast, useAction } from '../feedback/use-action.ts'
import { useShowCreated } from '../list/use-return-to-list.ts'
import type { AccountSearch } from '../routes/account-search-params.ts'
import type { Screen } from '../routes/define-screen.ts'
import { type RecordFormOptions, type RecordFormState, useRecordForm } from './use-record-form.tsx'

interface AddFormOptions<Values extends FieldValues>
  extends Omit<RecordFormOptions<Values>, 'save' | 'sendRequests' | 'versioned'> {
  list: Screen<string, AccountSearch>
  /** Sends the requests that create the record, and returns its SID. */
  create: (values: Values) => Promise<string>
  /** The text of the toast after the creation. */
  done: string
  /** Keys of the queries that the creation outdates. */
  changes: readonly QueryKey[]
  /** Returns whether the message at the field says everything, so that no toast repeats it. */
  isShownAtField?: (failure: ApiError) => boolean
  /** Returns the account of the record, or an empty text for none. */
  getAccount: (values: Values) => string
}

/** Form of a new record. After the creation, the list opens with the row of the record marked. */
export const useAddForm = <Values extends FieldValues>(options: AddFormOptions<Values>): RecordFormState<Values> => {
  const { list, create, done, changes, getAccount, isShownAtField, ...form } = options
  const showCreated = useShowCreated(list)
  const { mutateAsync } = useAction({ run: create, done: () => done, changes, quiet: true })
  const save = async (values: Values) => {
    try {
      return await mutateAsync(values)
    } catch (error) {
      if (!(error instanceof ApiError && isShownAtField?.(error))) showErrorToast(error)
      throw error
    }
  }
  return useRecordForm({
    ...form,
    sendRequests: create,
    save: async (values) => showCreated(await save(values), getAccount(values)),
  })
}
