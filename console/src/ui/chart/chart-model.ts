import type { ReactNode } from 'react'

/** Describes what a chart draws: periods from left to right, and for each of them stacked bars, or points of lines. */

export interface ChartPeriod {
  key: string
  /** The text below the axis, such as `14:00` or `Nov 23`. */
  tick: string
  /** The name above the values, such as `Mon, Nov 23`. */
  name: string
  /** The name and the values in words, for assistive technology. */
  description: string
}

/** A value of each period in words, for the values beside the pointer and the table. */
export interface ChartColumn {
  label: string
  cells: readonly string[]
}

/** Bars or lines. They come from `drawBars` and `drawLines`, so that a page loads only what it draws. */
export interface ChartDrawing {
  /** The entries of the legend. */
  legend: ReactNode
  highest: number
  /** Draws all periods between zero and the value at the upper edge. */
  draw: (top: number) => ReactNode
  /** Marks the points of a period. */
  mark?: (at: number, top: number) => ReactNode
}
