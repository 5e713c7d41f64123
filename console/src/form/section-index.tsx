import { useEffect, useRef, useState } from 'react'
import { StateBadge } from '../ui/badge.tsx'
import { classes } from '../ui/classes.ts'
import { isSame } from './compare-values.ts'
import styles from './section-index.module.css'

interface Section {
  /** The id of the heading. */
  id: string
  title: string
  /** The number of invalid fields. */
  invalid: number
}

/** Pages with fewer sections need no links. */
const minSections = 6

/** Returns the sections of a page that are visible, in their order. */
const readSections = (page: Element): Section[] =>
  [...page.querySelectorAll<HTMLElement>('section[aria-labelledby]')]
    .filter((section) => section.checkVisibility())
    .map((section) => ({
      id: section.getAttribute('aria-labelledby') ?? '',
      title: section.querySelector('h2')?.textContent ?? '',
      invalid: section.querySelectorAll('[aria-invalid=true]').length,
    }))

/** Below this height of the window, a section counts as read. */
const readingLine = 0.3

/** Returns the section that the user reads: the last one that begins above the reading line. */
const findCurrent = (sections: readonly Section[]): string | undefined => {
  const line = window.innerHeight * readingLine
  const started = sections.filter(({ id }) => (document.getElementById(id)?.getBoundingClientRect().top ?? line) < line)
  return (started.at(-1) ?? sections[0])?.id
}

const show = (id: string) => {
  const heading = document.getElementById(id)
  if (heading === null) return
  heading.closest('section')?.scrollIntoView({ block: 'start' })
  // The keyboard continues in the section.
  heading.tabIndex = -1
  heading.focus({ preventScroll: true })
}

/**
 * Links to the sections of the page around it, with the number of invalid fields in each. Reads the sections from the
 * page, because tabs and vendors add and remove sections.
 */
export const SectionIndex = () => {
  const nav = useRef<HTMLElement>(null)
  const [sections, setSections] = useState<readonly Section[]>([])
  const [current, setCurrent] = useState<string>()
  useEffect(() => {
    const page = nav.current?.closest('form')?.parentElement
    if (!page) return undefined
    const update = () => {
      const next = readSections(page)
      setSections((before) => (isSame(before, next) ? before : next))
      setCurrent(findCurrent(next))
    }
    update()
    const observer = new MutationObserver(update)
    observer.observe(page, {
      childList: true,
      subtree: true,
      attributes: true,
      attributeFilter: ['hidden', 'aria-invalid'],
    })
    window.addEventListener('scroll', update, { passive: true })
    return () => {
      observer.disconnect()
      window.removeEventListener('scroll', update)
    }
  }, [])
  return (
    <nav ref={nav} aria-label="On this page" hidden={sections.length < minSections}>
      <p className={styles['title']}>On this page</p>
      <ul className={styles['links']}>
        {sections.map(({ id, title, invalid }) => (
          <li key={id}>
            <button
              type="button"
              className={classes(styles['link'], id === current && styles['current'])}
              aria-current={id === current ? 'location' : undefined}
              onClick={() => show(id)}
            >
              {title}
              {invalid > 0 && (
                <StateBadge tone="bad">
                  {invalid}
                  <span className="visually-hidden">{invalid === 1 ? ' invalid field' : ' invalid fields'}</span>
                </StateBadge>
              )}
            </button>
          </li>
        ))}
      </ul>
    </nav>
  )
}
