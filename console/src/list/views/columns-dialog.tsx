import type { ViewedScreen } from '@patchbay/contract/shared/viewed-screens'
import { useState } from 'react'
import { api } from '../../api/client.ts'
import { queryClient } from '../../api/query-client.ts'
import { useAction } from '../../feedback/use-action.ts'
import { FormDialog } from '../../form/form-dialog.tsx'
import { Banner } from '../../ui/banner.tsx'
import { Button } from '../../ui/button.tsx'
import { CheckboxField } from '../../ui/fields/field.tsx'
import { listSettingsQuery } from './list-settings.ts'
import { writeColumns } from './stored-columns.ts'

interface ColumnName {
  id: string
  header: string
}

export interface ColumnChoice {
  /** All columns of the list. */
  all: readonly ColumnName[]
  defaults: readonly ColumnName[]
  current: readonly ColumnName[]
}

interface ColumnsDialogProps extends ColumnChoice {
  screen: ViewedScreen
  /** Set if the URL contains the columns. Then the choice changes the URL, and not the user's own columns. */
  onChangeUrl: ((ids: readonly string[]) => void) | undefined
  onClose: () => void
}

/** Returns the ids of columns in their order. */
export const toIds = (columns: readonly ColumnName[]): string[] => columns.map(({ id }) => id)

/** Stores the columns of the user. The browser keeps a copy, which is shown until the server has responded. */
const storeColumns = async (screen: ViewedScreen, columns: string[] | null): Promise<void> => {
  await api('PUT /patchbay/list-columns', { body: { screen, columns } })
  writeColumns(screen, columns)
  const { queryKey } = listSettingsQuery(screen)
  queryClient.setQueryData(queryKey, (settings) => settings && { ...settings, columns })
}

/** Chooses the columns of a list. */
export const ColumnsDialog = ({ all, defaults, current, screen, onChangeUrl, onClose }: ColumnsDialogProps) => {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set(toIds(current)))
  const [isEmpty, setEmpty] = useState(false)
  const store = useAction({
    run: (columns: string[] | null) => storeColumns(screen, columns),
    after: onClose,
    quiet: true,
  })
  const toggle = (id: string) => {
    const next = new Set(chosen)
    if (!next.delete(id)) next.add(id)
    setChosen(next)
  }
  const submit = () => {
    const ids = toIds(all).filter((id) => chosen.has(id))
    setEmpty(ids.length === 0)
    if (ids.length === 0) return
    if (onChangeUrl === undefined) return store.mutate(ids.join() === toIds(defaults).join() ? null : ids)
    onChangeUrl(ids)
    onClose()
  }
  return (
    <FormDialog
      title="Columns"
      size="small"
      submitLabel="Apply columns"
      action={store}
      onSubmit={submit}
      onClose={onClose}
    >
      {isEmpty && (
        <Banner tone="bad" role="alert">
          Select at least one column.
        </Banner>
      )}
      {all.map(({ id, header }, position) => (
        <CheckboxField
          key={id}
          label={header}
          checked={chosen.has(id)}
          {...(position === 0 ? { 'data-autofocus': true } : {})}
          onChange={() => toggle(id)}
        />
      ))}
      <div>
        <Button size="small" onClick={() => setChosen(new Set(toIds(defaults)))}>
          Restore default columns
        </Button>
      </div>
    </FormDialog>
  )
}
