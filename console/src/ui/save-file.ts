/** Saves bytes to a file, like a download link. */
export const saveFile = (name: string, content: Blob): void => {
  const url = URL.createObjectURL(content)
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  // The URL is revoked after the browser has started the download.
  setTimeout(() => URL.revokeObjectURL(url))
}
