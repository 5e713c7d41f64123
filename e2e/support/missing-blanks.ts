import type { Page } from '@playwright/test'

/**
 * Returns the places where two words of a page run together, because no blank separates the elements that contain them:
 * `Add a carrier|to receive`. Compares what is displayed, so that padding and gaps count as separators.
 */
export const findMissingBlanks = (page: Page, part = 'body'): Promise<string[]> =>
  page.evaluate((selector) => {
    // Parts of a word can be marked, and code consists of parts without blanks.
    const exempt = 'pre, code, svg, mark, script, style, textarea, select'
    const isRead = (node: Node): boolean => {
      const parent = node.parentElement
      return parent !== null && parent.closest(exempt) === null && parent.checkVisibility({ visibilityProperty: true })
    }
    const toRect = (node: Text, at: number): DOMRect => {
      const range = document.createRange()
      range.setStart(node, at)
      range.setEnd(node, at + 1)
      return range.getBoundingClientRect()
    }
    const root = document.querySelector(selector)
    if (root === null) return []
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT)
    const textNodes: Text[] = []
    while (walker.nextNode()) if (isRead(walker.currentNode)) textNodes.push(walker.currentNode as Text)
    return textNodes.flatMap((next, index) => {
      const before = textNodes[index - 1]
      if (before === undefined || before.parentElement === next.parentElement) return []
      if (!/[\p{L}.,;:!?)”]$/u.test(before.data) || !/^[\p{L}(“]/u.test(next.data)) return []
      const [last, first] = [toRect(before, before.data.length - 1), toRect(next, 0)]
      const isSameLine = Math.min(last.bottom, first.bottom) - Math.max(last.top, first.top) > last.height / 2
      const isAdjacent = Math.abs(first.left - last.right) < 1
      return isSameLine && isAdjacent ? [`${before.data.trim().slice(-30)}|${next.data.trim().slice(0, 30)}`] : []
    })
  }, part)
