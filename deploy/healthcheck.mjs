// Health check of the container image: exits with 0 if the server in this container is ready, otherwise with 1.
const { HOST: host, PORT: port = '3000' } = process.env
const everyAddress = { '0.0.0.0': '127.0.0.1', '::': '[::1]' }
const url = `http://${everyAddress[host] ?? host}:${port}/readyz`
try {
  // The server needs at most two seconds to check its database.
  const response = await fetch(url, { signal: AbortSignal.timeout(4000) })
  process.stdout.write(`${response.status} ${await response.text()}\n`)
  process.exitCode = response.ok ? 0 : 1
} catch (error) {
  process.stdout.write(`${url} did not respond: ${error.cause?.message ?? error.message}\n`)
  process.exitCode = 1
}
