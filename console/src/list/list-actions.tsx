import { Pencil, Plus, Trash2 } from 'lucide-react'
import type { ComponentProps, ComponentType, ReactNode } from 'react'
import { Button, buttonClass, IconButton, iconButtonClass } from '../ui/button.tsx'
import { ScreenLink, type Target } from '../screen/links.tsx'
import type { Screen } from '../routes/define-screen.ts'

/** The actions of a list: add a record, edit a row, delete a row. */

interface AddLinkProps {
  to: Screen
  /** why nothing can be added */
  denied?: string | undefined
  children: ReactNode
}

/** The list's main act. */
export const AddLink = ({ to, denied, children }: AddLinkProps) =>
  denied ? (
    <Button variant="primary" disabledReason={denied}>
      {children}
    </Button>
  ) : (
    <ScreenLink to={to} className={buttonClass('primary')}>
      <Plus size={16} aria-hidden="true" />
      {children}
    </ScreenLink>
  )

type RowActsProps<Path extends string, Search extends object> = Target<Path, Search> & {
  /** the form of a row */
  to: Screen<Path, Search>
  /** The name of the row. */
  name: string | null
  /** why it cannot be deleted */
  denied?: string | undefined
  onDelete: () => void
}

/** Whether the place is whole is checked where the row is made. */
const EditLink = ScreenLink as ComponentType<Omit<ComponentProps<'a'>, 'href'>>

/** The two buttons at the end of a row. */
export const RowActions = <Path extends string, Search extends object>({
  name,
  denied,
  onDelete,
  ...link
}: RowActsProps<Path, Search>) => (
  <>
    <EditLink {...link} className={iconButtonClass()} aria-label={`Edit ${name ?? ''}`}>
      <Pencil size={15} aria-hidden="true" />
    </EditLink>
    <IconButton label={`Delete ${name ?? ''}`} disabledReason={denied} onClick={onDelete}>
      <Trash2 size={15} aria-hidden="true" />
    </IconButton>
  </>
)
