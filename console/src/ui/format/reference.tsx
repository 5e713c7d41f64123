import type { ClipboardEvent, ReactElement } from 'react'
import { useCopyReport } from '../copy-button.tsx'
import { Tooltip } from '../overlay/tooltip.tsx'
import { shortSid } from './sid.tsx'
import styles from './value.module.css'

/** A name in any script. Right-to-left names do not change the direction of the text beside them. */
export const Name = ({ children }: { children: string | null | undefined }) => (children ? <bdi>{children}</bdi> : '–')

export interface ReferenceLink {
  children: ReactElement
  'aria-describedby': string
}

export interface ReferenceProps {
  /** If the name is unknown, the SID is displayed. */
  name: string | null | undefined
  sid: string | null | undefined
  /** Renders the link to the record. Without it, the name is plain text. */
  link?: (props: ReferenceLink) => ReactElement
}

/**
 * The name of another record. The SID is in the tooltip, where one click selects it. Ctrl+C copies the SID while the
 * name has the focus.
 */
export const Reference = ({ name, sid, link }: ReferenceProps) => {
  const report = useCopyReport()
  if (!sid) return <Name>{name}</Name>
  const copySid = (event: ClipboardEvent) => {
    if (!document.getSelection()?.isCollapsed) return
    event.preventDefault()
    event.clipboardData.setData('text/plain', sid)
    report.copied(sid)
  }
  const label = <bdi className={name ? undefined : 'mono'}>{name || shortSid(sid)}</bdi>
  return (
    <Tooltip text={<code className={styles.whole}>{sid}</code>}>
      {(tipId) => (
        <span className={styles.reference} onCopy={copySid}>
          {link ? (
            link({ children: label, 'aria-describedby': tipId })
          ) : (
            // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- its tip must be reachable by keyboard
            <span tabIndex={0} aria-describedby={tipId}>
              {label}
            </span>
          )}
        </span>
      )}
    </Tooltip>
  )
}
