import { Pencil, Plus, Trash2 } from 'lucide-react'
import type { ComponentProps, ComponentType, ReactNode } from 'react'
import { Button, buttonClass, IconButton, iconButtonClass } from '../ui/button.tsx'
import { ScreenLink, type Target } from '../screen/links.tsx'
import type { Screen } from '../routes/define-screen.ts'

/** The actions of a list: add a record, edit a row, delete a row. */

interface AddLinkProps {
  to: Screen
  /** The reason why the user cannot add a record. */
  denied?: string | undefined
  children: ReactNode
}

/** The primary action of a list: a link to the form for a new record. */
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
  /** The form of the record. */
  to: Screen<Path, Search>
  /** The name of the record. */
  name: string | null
  /** The reason why the user cannot delete the record. */
  denied?: string | undefined
  onDelete: () => void
}

/** The type of `RowActions` verifies that the link has all path parameters, so the type of the link can be looser. */
const EditLink = ScreenLink as ComponentType<Omit<ComponentProps<'a'>, 'href'>>

/** The buttons at the end of a row: edit and delete. */
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
