/** Texts for the gutter of the scale, which has room for five characters. */

/** Formats milliseconds such as `0.5 s`. */
export const formatScaleSeconds = (milliseconds: number): string =>
  milliseconds < 100 ? `${milliseconds} ms` : `${milliseconds / 1000} s`

/** Formats a share, such as `50 %`. */
export const formatScalePercent = (percent: number): string => `${percent} %`
