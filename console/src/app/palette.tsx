import { useNavigate, useRouter } from '@tanstack/react-router'
import { Search, X } from 'lucide-react'
import { type KeyboardEvent, type MouseEvent, useEffect, useId, useRef, useState } from 'react'
import { IconButton } from '../ui/button.tsx'
import { formatCount } from '../ui/format/text.ts'
import { Modal } from '../ui/overlay/dialog.tsx'
import { Keys, modifier } from './kbd.tsx'
import { type TypedAhead, takeTypedAhead } from './keystroke-buffer.ts'
import styles from './palette.module.css'
import { type Group, type Item, type PaletteResults, usePaletteItems } from './use-palette-items.ts'

const steps: Partial<Record<string, (at: number, count: number) => number>> = {
  ArrowDown: (at, count) => (at + 1) % count,
  ArrowUp: (at, count) => (at - 1 + count) % count,
  Home: () => 0,
  End: (_, count) => count - 1,
}

const statusText = (text: string, count: number, { reading, failed }: PaletteResults, isAwaited: boolean): string => {
  if (text.trim() === '') return ''
  if (reading.length > 0)
    return `Loading ${reading.join(', ')}…${isAwaited ? ' The best match opens when loading ends.' : ''}`
  const resultCount = count === 0 ? 'Nothing matches.' : `${count} ${count === 1 ? 'result' : 'results'}.`
  return [resultCount, ...failed.map((title) => `${title} could not be read.`)].join(' ')
}

interface OptionProps {
  id: string
  item: Item
  isActive: boolean
  onPoint: () => void
  onChoose: (event: MouseEvent) => void
}

const Option = ({ id, item, isActive, onPoint, onChoose }: OptionProps) => {
  const { icon: Icon, label, keys, sid } = item
  return (
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events -- the keys are those of the input, which keeps the focus
    <div
      id={id}
      role="option"
      tabIndex={-1}
      aria-selected={isActive}
      className={styles['option']}
      onMouseMove={onPoint}
      onMouseDown={(event) => event.preventDefault()}
      onClick={onChoose}
      onAuxClick={onChoose}
    >
      <Icon size={16} aria-hidden="true" />
      <bdi>{label}</bdi>
      {sid && <code aria-hidden="true">{sid}</code>}
      {keys && <Keys keys={keys} hidden />}
    </div>
  )
}

interface ResultsProps {
  id: string
  groups: readonly Group[]
  current: Item
  optionId: (item: Item) => string
  onPoint: (item: Item) => void
  onChoose: (item: Item, event: MouseEvent) => void
}

const Results = ({ id, groups, current, optionId, onPoint, onChoose }: ResultsProps) => {
  const list = useRef<HTMLDivElement>(null)
  const isFirst = groups[0]?.items[0] === current
  const currentId = optionId(current)
  useEffect(() => {
    if (isFirst) list.current?.scrollTo({ top: 0 })
    else document.getElementById(currentId)?.scrollIntoView({ block: 'nearest' })
  }, [isFirst, currentId])
  return (
    <div ref={list} id={id} role="listbox" tabIndex={-1} aria-label="Results" className={styles['list']}>
      {groups.map(({ title, items, total }, index) => (
        <div key={title} role="group" aria-labelledby={`${id}-${index}`}>
          <div id={`${id}-${index}`} role="presentation" className={styles['group']}>
            {items.length < total ? `${title}: the best ${items.length} of ${formatCount(total)}` : title}
          </div>
          {items.map((item) => (
            <Option
              key={item.id}
              id={optionId(item)}
              item={item}
              isActive={item.id === current.id}
              onPoint={() => onPoint(item)}
              onChoose={(event) => onChoose(item, event)}
            />
          ))}
        </div>
      ))}
    </div>
  )
}

interface Pressed {
  ctrlKey: boolean
  metaKey: boolean
  button?: number
}

/** Runs once, after the search box has the focus. */
const useTypedAhead = (take: (typed: TypedAhead) => void) => {
  const latest = useRef(take)
  useEffect(() => {
    const typed = takeTypedAhead()
    if (typed) latest.current(typed)
  }, [])
}

/**
 * Finds a screen, a record, or an action by some of its words. A combobox with a list box (WAI-ARIA Authoring
 * Practices).
 */
export const Palette = ({ onClose, onKeys }: { onClose: () => void; onKeys: () => void }) => {
  const id = useId()
  const listId = `${id}-list`
  const navigate = useNavigate()
  const router = useRouter()
  const [text, setText] = useState('')
  const [pointed, setPointed] = useState<string>()
  const [awaited, setAwaited] = useState<Pressed>()
  const offers = usePaletteItems(text, onKeys)
  const items = offers.groups.flatMap((group) => group.items)
  const at = Math.max(
    0,
    items.findIndex((item) => item.id === pointed),
  )
  const current = items[at]
  const optionId = (item: Item) => `${id}-${item.id}`

  const choose = (item: Item, { ctrlKey, metaKey, button = 0 }: Pressed) => {
    onClose()
    if ('run' in item) item.run()
    else if (ctrlKey || metaKey || button === 1) window.open(router.buildLocation(item.link).href, '_blank', 'noopener')
    else void navigate(item.link)
  }

  useTypedAhead((typed) => {
    setText(typed.text)
    if (typed.isEntered) setAwaited({ ctrlKey: false, metaKey: false })
  })
  // Enter selects the best match, even if the results are still loading.
  useEffect(() => {
    if (awaited && current && offers.reading.length === 0) choose(current, awaited)
  })

  const onKeyDown = (event: KeyboardEvent) => {
    const { key, ctrlKey, metaKey, shiftKey, nativeEvent } = event
    if (nativeEvent.isComposing) return
    const again = key.toLowerCase() === 'k' && (ctrlKey || metaKey)
    const step = shiftKey || ctrlKey || metaKey ? undefined : steps[key]
    if (!again && !step && key !== 'Escape' && key !== 'Enter') return
    event.preventDefault()
    if (again || key === 'Escape') onClose()
    else if (step) setPointed(items[step(at, items.length)]?.id)
    else if (current) choose(current, event)
    else setAwaited({ ctrlKey, metaKey })
  }

  return (
    <Modal
      label={{ 'aria-label': 'Command palette' }}
      className={styles['palette']}
      onEscape={onClose}
      onBackdrop={onClose}
    >
      <div className={styles['head']}>
        <Search size={18} aria-hidden="true" />
        <input
          role="combobox"
          data-autofocus
          aria-label="Search screens, records, and actions"
          aria-autocomplete="list"
          aria-expanded={current !== undefined}
          aria-controls={current && listId}
          aria-activedescendant={current && optionId(current)}
          placeholder="Screen, name, SID, or action"
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          enterKeyHint="go"
          value={text}
          onChange={({ target }) => {
            setText(target.value)
            setPointed(undefined)
            setAwaited(undefined)
          }}
          onKeyDown={onKeyDown}
        />
        <IconButton label="Close" size="small" icon={<X aria-hidden="true" />} onClick={onClose} />
      </div>
      {current && (
        <Results
          id={listId}
          groups={offers.groups}
          current={current}
          optionId={optionId}
          onPoint={(item) => setPointed(item.id)}
          onChoose={choose}
        />
      )}
      <div className={styles['foot']}>
        <p role="status">{statusText(text, items.length, offers, awaited !== undefined)}</p>
        <p className={styles['hints']} aria-hidden="true">
          <Keys keys={['↑', '↓']} /> to walk <Keys keys={['Enter']} /> to open <Keys keys={[modifier.shown, 'Enter']} />{' '}
          in a new tab
        </p>
      </div>
    </Modal>
  )
}
