/**
 * Names with a special meaning for mail clients, browsers, operators, or certificate authorities (RFC 2142, RFC 6761).
 */
const builtInReservedNames: ReadonlySet<string> = new Set(
  `abuse account accounts admin administrator alerts api app apps assets auth autoconfig autodiscover billing blog
  broadcasthost cdn console control dashboard demo dev dns docs email example files ftp gateway git grafana help homer
  hostmaster imap info internal invalid isatap jaeger jambonz local localdomain localhost login mail metrics monitor
  monitoring mta mx noc noreply ns oauth onion patchbay pay payment payments pop portal postmaster private prod
  production proxy public registrar root sandbox sbc secure security sftp signin signup sip sips smtp ssh ssl sso
  staging static status stun support sysadmin system test tls trust turn usenet vpn web webmail webmaster webrtc wpad ws
  wss www`.split(/\s+/),
)

/**
 * Returns whether a subdomain is reserved because of the meaning of its name. A trailing number is ignored: `www2` is
 * reserved like `www`.
 *
 * @param more further reserved names in lowercase
 */
export const isReservedSubdomain = (name: string, more: readonly string[] = []): boolean => {
  const text = name.toLowerCase()
  const stem = /^[a-z-]*/.exec(text)?.[0] ?? ''
  const isNumbered = /^\d+$/.test(text.slice(stem.length))
  const meanings = isNumbered ? [text, stem, stem.replace(/-$/, '')] : [text]
  return meanings.some((meaning) => builtInReservedNames.has(meaning) || more.includes(meaning))
}
