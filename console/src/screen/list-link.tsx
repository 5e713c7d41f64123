import type { ReactNode } from 'react'
import { canOpen, type Screen } from '../routes/define-screen.ts'
import { requiredSession } from '../session/session.ts'
import { ScreenLink } from './links.tsx'

export interface ListTarget {
  to: Screen
  search?: object
}

interface ListLinkProps {
  /** Undefined if no list shows exactly these records. */
  list: ListTarget | undefined
  'aria-label'?: string
  onClick?: (() => void) | undefined
  children: ReactNode
}

/** Links to a list if there is one that the user can open, and renders only the text otherwise. */
export const ListLink = ({ list, children, ...link }: ListLinkProps) =>
  list !== undefined && canOpen(list.to, requiredSession().actor) ? (
    <ScreenLink {...list} {...link}>
      {children}
    </ScreenLink>
  ) : (
    children
  )
