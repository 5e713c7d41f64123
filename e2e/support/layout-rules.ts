import type { Page } from '@playwright/test'

/** The rules of the layout that hold on every screen at every width. */

/** Returns what breaks a rule of the layout, each with the rule and the element. */
export const findLayoutErrors = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const main = document.querySelector('main') ?? document.body
    const styles = new Map<Element, CSSStyleDeclaration>()
    const getStyle = (element: Element): CSSStyleDeclaration => {
      const style = styles.get(element) ?? getComputedStyle(element)
      styles.set(element, style)
      return style
    }
    const ancestors = (element: Element): Element[] => {
      const list: Element[] = []
      for (let at: Element | null = element; at !== null && at !== main; at = at.parentElement) list.push(at)
      return list
    }
    /** Texts for screen readers are clipped, and bars that stick to an edge lie over what scrolls below them. */
    const isVisible = (element: Element): boolean =>
      element.checkVisibility({ visibilityProperty: true, opacityProperty: true }) &&
      element.closest('[aria-hidden=true], [inert], dialog, [popover]') === null &&
      ancestors(element).every((at) => getStyle(at).clipPath === 'none' && getStyle(at).position !== 'sticky')
    const quote = (element: Element): string => (element.textContent ?? '').trim().replaceAll(/\s+/g, ' ').slice(0, 60)
    const textNodes: { element: Element; node: Text; rects: DOMRect[] }[] = []
    const walker = document.createTreeWalker(main, NodeFilter.SHOW_TEXT)
    while (walker.nextNode()) {
      const node = walker.currentNode as Text
      const element = node.parentElement
      if (element === null || node.data.trim() === '' || !isVisible(element)) continue
      if (element.closest('svg, script, style, option, textarea, canvas') !== null) continue
      const range = document.createRange()
      range.selectNodeContents(node)
      textNodes.push({ element, node, rects: [...range.getClientRects()].filter(({ width }) => width > 1) })
    }

    /** The part of a rectangle that scrolling ancestors leave visible. */
    const clip = (rect: DOMRect, element: Element): DOMRect => {
      let { left, right, top, bottom } = rect
      for (const at of ancestors(element)) {
        const { overflowX, overflowY } = getStyle(at)
        const box = at.getBoundingClientRect()
        if (overflowX !== 'visible') [left, right] = [Math.max(left, box.left), Math.min(right, box.right)]
        if (overflowY !== 'visible') [top, bottom] = [Math.max(top, box.top), Math.min(bottom, box.bottom)]
      }
      return new DOMRect(left, top, Math.max(0, right - left), Math.max(0, bottom - top))
    }

    const findOverlaps = (): string[] => {
      const boxes = textNodes.flatMap(({ element, rects }) =>
        rects.map((rect) => ({ element, rect: clip(rect, element) })),
      )
      const rows = boxes.toSorted((one, two) => one.rect.top - two.rect.top)
      return rows.flatMap(({ element, rect }, index) => {
        const faults: string[] = []
        for (const { element: other, rect: below } of rows.slice(index + 1)) {
          if (below.top > rect.bottom - 3.5) break
          const across = Math.min(rect.right, below.right) - Math.max(rect.left, below.left)
          const down = Math.min(rect.bottom, below.bottom) - Math.max(rect.top, below.top)
          if (across > 1.5 && down > 3.5 && element !== other)
            faults.push(`covered: ${quote(element)} | ${quote(other)}`)
        }
        return faults
      })
    }

    const findBrokenLabels = (): string[] =>
      textNodes.flatMap(({ element, node }) => {
        if (element.closest('th, td, dt, a, button, h1, h2, h3, label') === null) return []
        const width = (element.closest('td, th') ?? element).getBoundingClientRect().width
        return [...node.data.matchAll(/[\p{L}\p{N}]{2,}/gu)].flatMap(({ 0: word, index }) => {
          const range = document.createRange()
          range.setStart(node, index)
          range.setEnd(node, index + word.length)
          const lines = new Set([...range.getClientRects()].map(({ top }) => Math.round(top)))
          // An identifier without blanks can be longer than a line.
          return lines.size > 1 && word.length < 24 && width > 0 ? [`broken word: ${word}`] : []
        })
      })

    const clipped = (): string[] =>
      [...new Set(textNodes.map(({ element }) => element))].flatMap((element) => {
        const { overflowX, textOverflow } = getStyle(element)
        if (overflowX === 'visible' || element.scrollWidth <= element.clientWidth + 1) return []
        const isExplained =
          textOverflow === 'ellipsis' &&
          element.closest('[title], [aria-describedby], button[aria-haspopup], select') !== null
        return isExplained || overflowX === 'auto' ? [] : [`clipped without a title: ${quote(element)}`]
      })

    const getLeft = (element: Element | null): number | undefined =>
      element !== null && isVisible(element) ? Math.round(element.getBoundingClientRect().left) : undefined
    const leftEdges = (): string[] => {
      const edges = {
        title: getLeft(main.querySelector('h1')),
        tabs: getLeft(main.querySelector('[role=tablist]')),
        toolbar: getLeft(main.querySelector('search')),
        table: getLeft(main.querySelector('table:not(form table, section table)')),
      }
      const values = Object.values(edges).filter((left) => left !== undefined)
      return new Set(values).size > 1 ? [`several left edges: ${JSON.stringify(edges)}`] : []
    }

    const rowHeights = (): string[] =>
      [...main.querySelectorAll('tr[data-row]')].flatMap((row) => {
        const { height } = row.getBoundingClientRect()
        const isCard = getStyle(row).display !== 'table-row'
        const isRight = isCard ? height <= 62 : height >= 36 && height <= 40
        return isRight ? [] : [`row of ${Math.round(height)} px: ${quote(row)}`]
      })

    const { scrollWidth } = document.documentElement
    const scrolls = scrollWidth > innerWidth ? [`the page scrolls: ${scrollWidth} of ${innerWidth} px`] : []
    return [...scrolls, ...findOverlaps(), ...findBrokenLabels(), ...clipped(), ...leftEdges(), ...rowHeights()]
  })
