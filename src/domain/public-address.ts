import ipaddr from 'ipaddr.js';

const { IPv4, IPv6, isValid, parse } = ipaddr;
type IPv4 = ipaddr.IPv4;
type IPv6 = ipaddr.IPv6;

// Azure answers its machines here, from an address that looks like any other.
const metadataAddresses = new Set(['168.63.129.16']);

const globalUnicast = IPv6.parseCIDR('2000::/3');
// The local form, 64:ff9b:1::/48, leads into the own network by definition.
const wellKnownNat64 = IPv6.parseCIDR('64:ff9b::/96');

/**
 * Whether an IP address belongs to the public internet. What is not known to be public is not: loopback,
 * private, link-local, carrier-grade NAT, metadata, multicast, reserved, tunnels, and anything unreadable.
 */
export function isPublicAddress(address: string): boolean {
  if (IPv4.isValidFourPartDecimal(address)) return isPublicV4(IPv4.parse(address));
  return IPv6.isValid(address) && isPublicV6(IPv6.parse(address));
}

function isPublicV4(address: IPv4): boolean {
  return address.range() === 'unicast' && !metadataAddresses.has(address.toString());
}

function isPublicV6(address: IPv6): boolean {
  if (address.zoneId) return false;
  if (address.isIPv4MappedAddress()) return isPublicV4(address.toIPv4Address());
  // Where DNS64 is at work every IPv4 host looks like this.
  if (address.match(wellKnownNat64)) return isPublicV4(new IPv4(address.toByteArray().slice(12)));
  return address.match(globalUnicast) && address.range() === 'unicast';
}

/** Whether a URL says by itself that it leads to no public address. What its name resolves to is judged later. */
export function namesPrivateHost(url: URL): boolean {
  const host = url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  if (isValid(host)) return !isPublicAddress(parse(host).toString());
  return host === 'localhost' || host.endsWith('.localhost');
}
