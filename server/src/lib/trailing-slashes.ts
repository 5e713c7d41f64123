/** Returns a URL or path without the slashes at its end. Takes linear time, which `/\/+$/` does not. */
export const withoutTrailingSlashes = (text: string): string => {
  let end = text.length
  while (text[end - 1] === '/') end -= 1
  return text.slice(0, end)
}
