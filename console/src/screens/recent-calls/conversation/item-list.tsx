import { type RefObject, useEffect } from 'react'
import { useGrowingWindow } from '../../../ui/table/use-incremental-rows.ts'
import styles from './conversation.module.css'
import type { ListedItem } from './conversation-items.ts'
import { ItemRow, type RowActions } from './item-row.tsx'

/** Scrolls the list so that a row is visible, without scrolling the page. */
const scrollToRow = (list: HTMLElement, key: string): void => {
  const row = list.querySelector<HTMLElement>(`[data-item="${key}"]`)
  if (row === null) return
  const top = row.offsetTop - list.offsetTop
  if (top < list.scrollTop || top + row.offsetHeight > list.scrollTop + list.clientHeight)
    list.scrollTop = top - list.clientHeight / 4
}

/** Moves the focus to a row, and scrolls the list and the page as little as necessary. */
export const focusRow = (list: HTMLElement | null, key: string): void => {
  if (list === null) return
  scrollToRow(list, key)
  const row = list.querySelector<HTMLElement>(`[data-item="${key}"]`)
  row?.focus({ preventScroll: true })
  row?.scrollIntoView({ block: 'nearest' })
}

interface ItemListProps extends RowActions {
  list: RefObject<HTMLDivElement | null>
  items: readonly ListedItem[]
  /** Prefix of element IDs. */
  id: string
  /** The item that plays. Undefined while nothing plays. */
  playing: string | undefined
  /** The item that must be rendered because it was selected. */
  selected: string | undefined
  /** The item that a link leads to. */
  highlighted: string | undefined
  openGaps: ReadonlySet<string>
}

/**
 * Lists turns and events. All rows are rendered while the browser is idle, so that its page search finds every word.
 * The browser lays out only the rows near the viewport (`content-visibility`).
 */
export const ItemList = ({ list, items, id, playing, selected, highlighted, openGaps, ...actions }: ItemListProps) => {
  const mustRender = selected ?? playing
  const at = mustRender === undefined ? -1 : items.findIndex(({ key }) => key === mustRender)
  const { limit, end, more } = useGrowingWindow(items.length, at, items.length)
  useEffect(() => {
    if (playing !== undefined && list.current) scrollToRow(list.current, playing)
  }, [list, playing])
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls must be reachable by keyboard
    <div ref={list} role="region" tabIndex={0} aria-label="Turns and events" className={styles['scroller']}>
      <ol aria-label="Conversation" className={styles['items']}>
        {items.slice(0, limit).map((item) => (
          <li
            key={item.key}
            data-item={item.key}
            tabIndex={-1}
            aria-current={item.key === highlighted || undefined}
            className={styles['item']}
          >
            <ItemRow
              item={item}
              id={id}
              isPlaying={item.key === playing}
              isGapOpen={openGaps.has(item.key)}
              {...actions}
            />
          </li>
        ))}
      </ol>
      {more && <div key={limit} ref={end} />}
    </div>
  )
}
