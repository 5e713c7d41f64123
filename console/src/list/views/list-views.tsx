import type { SavedView } from '@patchbay/contract/saved-views'
import type { ViewedScreen } from '@patchbay/contract/shared/viewed-screens'
import { useQuery } from '@tanstack/react-query'
import { Bookmark, Check, Columns3, Link, Pencil, RefreshCw, Save } from 'lucide-react'
import { useState } from 'react'
import { api } from '../../api/client.ts'
import { useAction } from '../../feedback/use-action.ts'
import { IconButton } from '../../ui/button.tsx'
import { canCopy, useCopyText } from '../../ui/copy-button.tsx'
import { Menu, type MenuItem } from '../../ui/overlay/menu.tsx'
import { type ColumnChoice, ColumnsDialog } from './columns-dialog.tsx'
import { hasSavedViews, listSettingsQuery } from './list-settings.ts'
import { ManageViews } from './manage-views.tsx'
import { ViewNameDialog } from './view-name-dialog.tsx'
import { isSameView, type ViewParameters } from './view-parameters.ts'

export interface ListViewsProps {
  screen: ViewedScreen
  /** The parameters of the displayed list, complete: with the account and the columns. */
  parameters: ViewParameters
  /** The SID of the view that was opened last. It may have been changed since, or belong to another user. */
  openView: string | undefined
  /** Shows a list with these parameters only. */
  onOpen: (parameters: ViewParameters, saved_view_sid: string | undefined) => void
  columns: ColumnChoice
  /** Set if the URL contains the columns. */
  onColumns: ((ids: readonly string[]) => void) | undefined
}

const changes = [['list-settings']]

const SaveView = ({ screen, parameters, onOpen, onClose }: ListViewsProps & { onClose: () => void }) => {
  const save = useAction({
    run: (name: string) => api('POST /patchbay/saved-views', { body: { screen, name, search: { ...parameters } } }),
    done: () => 'View saved',
    changes,
    after: ({ sid }) => {
      onOpen(parameters, sid)
      onClose()
    },
    quiet: true,
  })
  return (
    <ViewNameDialog
      title="Save view"
      submitLabel="Save view"
      hint="The view contains the account, the filters, and the columns."
      action={save}
      onClose={onClose}
    />
  )
}

/** Copies a link that shows another user the same list, without the saved view, which only its owner can read. */
const useCopyLink = (parameters: ViewParameters) => {
  const copy = useCopyText()
  return async () => {
    const url = new URL(window.location.pathname, window.location.origin)
    for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
    await copy(url.href, 'Link')
  }
}

/** A menu of the saved views of a list, and the choice of its columns. */
export const ListViews = (props: ListViewsProps) => {
  const { screen, parameters, openView, onOpen, columns, onColumns } = props
  const settings = useQuery(listSettingsQuery(screen))
  const [dialog, setDialog] = useState<'save' | 'manage' | 'columns'>()
  const copyLink = useCopyLink(parameters)
  const close = () => setDialog(undefined)
  const views = settings.data?.views ?? []
  const open = views.find(({ saved_view_sid }) => saved_view_sid === openView)
  const isChanged = open !== undefined && !isSameView(open.search, parameters)
  const update = useAction({
    run: ({ saved_view_sid }: SavedView) =>
      api('PUT /patchbay/saved-views/:saved_view_sid', {
        params: { saved_view_sid },
        body: { search: { ...parameters } },
      }),
    done: () => 'View updated',
    changes,
  })
  const items: (MenuItem | false)[] = [
    ...views.map((view) => ({
      label: view.name,
      icon: view === open && !isChanged ? <Check aria-hidden="true" /> : <Bookmark aria-hidden="true" />,
      onSelect: () => onOpen(view.search, view.saved_view_sid),
    })),
    settings.isError && {
      label: 'Load the saved views again',
      icon: <RefreshCw aria-hidden="true" />,
      onSelect: () => void settings.refetch(),
    },
    isChanged && {
      label: `Update view “${open.name}”`,
      icon: <Save aria-hidden="true" />,
      onSelect: () => update.mutate(open),
    },
    { label: 'Save as new view', icon: <Save aria-hidden="true" />, onSelect: () => setDialog('save') },
    views.length > 0 && {
      label: 'Manage views',
      icon: <Pencil aria-hidden="true" />,
      onSelect: () => setDialog('manage'),
    },
    canCopy() && { label: 'Copy link', icon: <Link aria-hidden="true" />, onSelect: () => void copyLink() },
  ]
  return (
    <>
      {hasSavedViews() && (
        <Menu
          label="Saved views"
          icon={<Bookmark aria-hidden="true" />}
          text={open && `View: ${open.name}${isChanged ? ' (changed)' : ''}`}
          items={items.filter((item) => item !== false)}
        />
      )}
      <IconButton label="Columns" onClick={() => setDialog('columns')}>
        <Columns3 aria-hidden="true" />
      </IconButton>
      {dialog === 'save' && <SaveView {...props} onClose={close} />}
      {dialog === 'manage' && (
        <ManageViews
          views={views}
          onDeleted={(sid) => sid === openView && onOpen(parameters, undefined)}
          onClose={close}
        />
      )}
      {dialog === 'columns' && <ColumnsDialog {...columns} screen={screen} onChangeUrl={onColumns} onClose={close} />}
    </>
  )
}
