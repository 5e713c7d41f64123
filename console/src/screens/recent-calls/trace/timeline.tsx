import { durationMs, findWaits, type Wait } from '@patchbay/rules/traces/trace-waits'
import type { Span } from '@patchbay/rules/traces/traces'
import { ChevronDown, ChevronRight, CircleAlert, Hourglass, type LucideIcon } from 'lucide-react'
import { type CSSProperties, type KeyboardEvent, type ReactNode, useMemo, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { Button } from '../../../ui/button.tsx'
import { classes } from '../../../ui/classes.ts'
import { TextFilter, Toolbar } from '../../../ui/table/text-filter.tsx'
import { useGrowingWindow } from '../../../ui/table/use-incremental-rows.ts'
import { useTopRow, windowAt } from '../../../ui/table/use-virtual-rows.ts'
import { SpanDialog } from './span-dialog.tsx'
import {
  durationText,
  type Extent,
  shortName,
  type TraceRow,
  toBarPosition,
  toExtent,
  toTicks,
  toTreeNodes,
  toVisibleRows,
  waitedPart,
} from './spans.ts'
import styles from './timeline.module.css'
import { TraceSummary } from './trace-summary.tsx'

const percent = (part: number): string => `${(part * 100).toFixed(3)}%`

const toBar = (part: Pick<Span, 'start' | 'end'>, whole: Extent): CSSProperties => {
  const { from, length } = toBarPosition(part, whole)
  return { insetInlineStart: percent(from), inlineSize: percent(length) }
}

const Bar = ({ span, wait, whole }: { span: Span; wait: Wait | undefined; whole: Extent }) => {
  const waited = wait && waitedPart(span, wait)
  return (
    <span className={styles['track']}>
      <span className={styles['bar']} style={toBar(span, whole)} />
      {waited && <span className={classes(styles['bar'], styles['waited'])} style={toBar(waited, whole)} />}
    </span>
  )
}

const Axis = ({ whole }: { whole: Extent }) => {
  const all = Math.max(durationMs(whole), 1)
  return (
    <div className={styles['axis']} aria-hidden="true">
      <span className={styles['track']}>
        {toTicks(whole).map((tick) => (
          <span key={tick} className={styles['tick']} style={{ insetInlineStart: percent(tick / all) }}>
            {tick === 0 ? '0' : durationText(tick).replace('.00', '')}
          </span>
        ))}
      </span>
    </div>
  )
}

const Mark = ({ icon: Icon, word }: { icon: LucideIcon; word: string }) => (
  <span className={styles['mark']}>
    <Icon size={13} aria-hidden="true" />
    <span className="visually-hidden">, {word} </span>
  </span>
)

interface SpanRowProps {
  row: TraceRow
  wait: Wait | undefined
  whole: Extent
  isActive: boolean
  onOpen: (span: Span) => void
  onFold: (id: string, isFolded: boolean) => void
  onKeyDown: (event: KeyboardEvent) => void
}

const SpanRow = ({ row, wait, whole, isActive, onOpen, onFold, onKeyDown }: SpanRowProps) => {
  const { span, level, hasParts, isOpen } = row
  const Arrow = isOpen ? ChevronDown : ChevronRight
  return (
    <div
      role="treeitem"
      tabIndex={isActive ? 0 : -1}
      aria-level={level}
      aria-expanded={hasParts ? isOpen : undefined}
      aria-selected={isActive}
      data-span={span.id}
      className={classes(styles['row'], span.error !== undefined && styles['failed'])}
      onClick={() => onOpen(span)}
      onKeyDown={onKeyDown}
    >
      <span className={styles['name']} style={{ '--level': Math.min(level, 12) - 1 } as CSSProperties}>
        {hasParts ? (
          <Arrow
            size={14}
            aria-hidden="true"
            className={styles['arrow']}
            onClick={(event) => {
              event.stopPropagation()
              onFold(span.id, isOpen)
            }}
          />
        ) : (
          <span className={styles['arrow']} />
        )}
        <span title={span.name}>{shortName(span.name)}</span>
        {span.error !== undefined && <Mark icon={CircleAlert} word="failed" />}
        {wait && <Mark icon={Hourglass} word="waited for" />}
      </span>
      <Bar span={span} wait={wait} whole={whole} />
      <span className={styles['length']}>
        {durationText(durationMs(span))}
        <span className="visually-hidden">
          {' '}
          after {durationText(durationMs({ start: whole.start, end: span.start }))}
        </span>
      </span>
    </div>
  )
}

/**
 * A longer list renders only the rows near the viewport. A shorter list renders all rows, in steps, so that the
 * browser's page search finds every span.
 */
const maxFullyRenderedRows = 1000

/** Takes up the space of rows that are not rendered. */
const Space = ({ rows }: { rows: number }) =>
  rows > 0 && <div aria-hidden="true" style={{ blockSize: `calc(${rows} * var(--row))` }} />

interface TimelineProps {
  spans: readonly Span[]
  /** Shown above the spans. */
  notice: ReactNode
  /** The span that a link leads to. It is open at first. */
  linked: Span | undefined
}

/**
 * Shows the spans of a call as a tree of bars on a time axis. Arrow keys move between rows, and fold and unfold them.
 */
export const Timeline = ({ spans, notice, linked }: TimelineProps) => {
  const [folded, setFolded] = useState<ReadonlySet<string>>(new Set())
  const [filter, setFilter] = useState('')
  const [activeId, setActiveId] = useState(linked?.id)
  const [openSpan, setOpenSpan] = useState(linked)
  const tree = useRef<HTMLDivElement>(null)
  const whole = useMemo(() => toExtent(spans), [spans])
  const nodes = useMemo(() => toTreeNodes(spans), [spans])
  const waits = useMemo(() => findWaits(spans), [spans])
  const rows = useMemo(() => toVisibleRows(nodes, folded, filter), [nodes, folded, filter])
  const at = Math.max(
    0,
    rows.findIndex(({ span }) => span.id === activeId),
  )
  const isLong = rows.length > maxFullyRenderedRows
  const [top, setTop] = useTopRow(tree, isLong ? rows.length : 0)
  const { limit, end, more } = useGrowingWindow(isLong ? 0 : rows.length, at)
  const near = isLong ? windowAt(top, rows.length) : { start: 0, end: limit }
  // The active row may be scrolled out of view and not rendered. The tab stop is then the nearest rendered row.
  const stop = Math.min(Math.max(at, near.start), near.end - 1)
  const parents = useMemo(() => nodes.filter(({ hasParts }) => hasParts).map(({ span }) => span.id), [nodes])

  const fold = (id: string, isFolded: boolean) =>
    setFolded((now) => {
      const next = new Set(now)
      if (isFolded) next.add(id)
      else next.delete(id)
      return next
    })
  const go = (to: number) => {
    const row = rows[to]
    if (row === undefined) return
    // Renders synchronously, because the row must exist to receive the focus, and scrolling could otherwise remove it
    // again.
    flushSync(() => {
      setActiveId(row.span.id)
      if (to < near.start || to >= near.end) setTop(to)
    })
    tree.current?.querySelector<HTMLElement>(`[data-span="${row.span.id}"]`)?.focus()
  }
  const findParentRow = (position: number): number => {
    const level = rows[position]?.level ?? 1
    return rows.slice(0, position).findLastIndex((row) => row.level < level)
  }
  const keys: Partial<Record<string, (row: TraceRow) => void>> = {
    ArrowDown: () => go(stop + 1),
    ArrowUp: () => go(stop - 1),
    Home: () => go(0),
    End: () => go(rows.length - 1),
    ArrowRight: ({ span, hasParts, isOpen }) => (hasParts && !isOpen ? fold(span.id, false) : go(stop + 1)),
    ArrowLeft: ({ span, hasParts, isOpen }) =>
      hasParts && isOpen ? fold(span.id, true) : go(Math.max(0, findParentRow(stop))),
    Enter: ({ span }) => setOpenSpan(span),
    ' ': ({ span }) => setOpenSpan(span),
  }
  const walk = (event: KeyboardEvent) => {
    const row = rows[stop]
    const act = keys[event.key]
    if (row === undefined || act === undefined) return
    event.preventDefault()
    act(row)
  }
  const open = (span: Span) => {
    setActiveId(span.id)
    setOpenSpan(span)
  }
  const close = () => {
    setOpenSpan(undefined)
    // The element that opened a linked span was on another tab, so its row receives the focus.
    if (openSpan === linked) go(at)
  }
  const show = (span: Span) => {
    setFilter('')
    setFolded(new Set())
    open(span)
  }

  return (
    <div className={styles['timeline']}>
      {notice}
      <TraceSummary spans={spans} onShow={show} />
      <Toolbar>
        <TextFilter label="Filter spans" value={filter} onChange={setFilter} />
        {parents.length > 0 && filter.trim() === '' && (
          <>
            <Button size="small" variant="ghost" onClick={() => setFolded(new Set(parents))}>
              Collapse all
            </Button>
            <Button size="small" variant="ghost" onClick={() => setFolded(new Set())}>
              Expand all
            </Button>
          </>
        )}
        <output className="note">{filter.trim() === '' ? '' : `${rows.length} of ${spans.length}`}</output>
      </Toolbar>
      {rows.length === 0 ? (
        <p className="note">No spans match.</p>
      ) : (
        <>
          <Axis whole={whole} />
          <div ref={tree} role="tree" tabIndex={-1} aria-label="Spans of the call">
            <Space rows={near.start} />
            {rows.slice(near.start, near.end).map((row, position) => (
              <SpanRow
                key={row.span.id}
                row={row}
                wait={waits.get(row.span.id)}
                whole={whole}
                isActive={near.start + position === stop}
                onOpen={open}
                onFold={fold}
                onKeyDown={walk}
              />
            ))}
            {isLong && <Space rows={rows.length - near.end} />}
            {more && <div key={limit} ref={end} />}
          </div>
        </>
      )}
      {openSpan && <SpanDialog span={openSpan} spans={spans} onClose={close} />}
    </div>
  )
}
