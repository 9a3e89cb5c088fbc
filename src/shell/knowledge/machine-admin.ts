import { rows } from "./rows.ts";
import type { CommandSpec } from "./spec.ts";

// The administrator's programs: nothing of them is understood but that they say who they are.

const HELP = "--version -> stop; --help -> stop";
const administers = (names: string, summary: string, area: string, examples: readonly string[]): CommandSpec => ({
  names,
  summary,
  style: "gnu",
  options: rows(HELP),
  operands: "refuse*",
  effects: `system ${area}, danger host-effect`,
  examples: { allow: [`${names.slice(0, names.indexOf(" "))} --version`], ask: examples },
});

export const machineAdmin: readonly CommandSpec[] = [
  administers(
    "kexec efibootmgr efivar mokutil grub-install grub2-install grub-mkconfig grub2-mkconfig grub-set-default grub-reboot update-grub update-grub2 grubby lilo extlinux syslinux refind-install sbctl flashrom fwupdtool dracut mkinitcpio mkinitramfs update-initramfs mkinitrd kernel-install installkernel update-kernel plymouth-set-default-theme rtcwake ctrlaltdel pivot_root switch_root chmem chcpu zramctl biosdecode",
    "what the machine starts with",
    "power",
    [
      "kexec -e",
      "efibootmgr -b 0 -B",
      "update-grub",
      "mokutil --reset",
      "rtcwake -m mem",
      "update-initramfs -u",
      "grub-mkconfig -o /tmp/x",
    ],
  ),
  administers(
    "ipset pfctl iptables-restore iptables-save iptables-apply ip6tables-restore ip6tables-save iptables-nft-restore ebtables arptables ebtables-restore conntrack conntrackd ipvsadm ipfw npf npfctl firewalld nftables shorewall fail2ban-client fail2ban-server csf netplan ifup ifdown ifquery ifrename ifenslave dhcpd udhcpc hostapd hostapd_cli iwpriv iwctl connmanctl nmtui pppd pon poff vconfig ovs-vsctl ovs-ofctl teamdctl rarp slattach plipconfig mii-tool ipmaddr iptunnel nameif dcb devlink rdma tipc vdpa rtmon rtacct ovpn openvpn3 openconnect vpnc strongswan ipsec swanctl nebula mullvad nordvpn protonvpn-cli expressvpn tinc tincd n2n chisel rathole frps inlets gost gsocket gs-netcat dnscat2 iodine ptunnel stunnel stunnel4 redsocks tun2socks ligolo-agent revsocks",
    "the packet filter, interfaces and tunnels",
    "network",
    ["ipset flush", "pfctl -d", "ifdown eth0", "iptables-restore rules", "chisel client x R:1", "bore local 80"],
  ),
  administers(
    "blockdev partx kpartx addpart delpart partprobe blkzone blkdeactivate fsfreeze fstrim swaplabel e2label e2image e2undo e2scrub e2scrub_all e4crypt e4defrag mklost+found fsadm xfs_admin xfs_db xfs_fsr xfs_copy btrfstune btrfs-convert fatlabel dosfslabel ntfsfix ntfsclone ntfsresize mkntfs mkudffs mkexfatfs tune.exfat partclone partclone.ext4 partclone.dd partimage clonezilla ocs-sr ddrescue dd_rescue dcfldd testdisk photorec extundelete safecopy sg_format sg_sanitize sg_write_same sg_unmap sdparm mmc flash_erase flash_eraseall nandwrite ubiformat mtd_debug raid-check storcli megacli ssacli mpathpersist tgtadm targetcli rpcbind quotaon quotaoff quotacheck fusermount fusermount3 udisksctl udiskie pmount pumount eject usbreset usb_modeswitch cryptsetup-reencrypt veritysetup integritysetup clevis luksmeta vgrename lvrename pvmove lvconvert lvchange vgchange pvchange thin_repair cache_repair ipcrm",
    "disks, file systems and what is mounted",
    "mounts",
    [
      "blockdev --setro x",
      "kpartx -d x",
      "fstrim -a",
      "quotaoff -a",
      "ntfsfix disk",
      "fusermount -u x",
      "udisksctl power-off -b x",
      "ipcrm -a",
    ],
  ),
  administers(
    "chkconfig update-rc.d rc-update insserv sysv-rc-conf sv runsv runsvdir s6-svc s6-rc s6-rc-db svcadm svccfg systemd-sysext systemd-confext systemd-sysusers systemd-firstboot systemd-machine-id-setup systemd-cryptenroll systemd-dissect systemd-mount systemd-umount systemd-ask-password systemd-tty-ask-password-agent systemd-creds homectl portablectl oomctl userdbctl start-stop-daemon daemonize monit circusctl augtool augenrules cgcreate cgdelete cgset cgclassify cgclear cset tuned-adm cpupower cpufreq-set x86_energy_perf_policy turbostat powerprofilesctl tlp irqbalance numad chvt deallocvt openvt loadkeys setfont setkeycodes kbdrate setvtrgb setupcon skill slay criu reptyr crash-dump",
    "services, what they may use, and processes of others",
    "services",
    [
      "chkconfig x off",
      "update-rc.d x disable",
      "sv down x",
      "s6-svc -d x",
      "systemd-sysext unmerge",
      "skill x",
      "cgdelete x",
      "criu dump -t 1",
    ],
  ),
  administers(
    "semanage semodule restorecon fixfiles chcat setfiles load_policy aa-disable aa-enforce aa-complain aa-teardown aa-remove-unknown apparmor_parser faillock pam_tally2 pam-auth-update authconfig authselect pwck grpck pwunconv grpconv grpunconv shadowconfig update-passwd chgpasswd cppw cpgr groupmems lchage luseradd luserdel lpasswd lgroupdel add-shell remove-shell update-shells realm adcli kadmin kadmin.local kdb5_util ktutil ipa net samba-tool smbpasswd pdbedit wbinfo winbindd sss_cache sssctl nscd getcap setcap setfattr polkitd pkcheck pkttyagent update-crypto-policies fips-mode-setup sudoreplay sudo_logsrvd cvtsudoers keyctl auditd tripwire aide rkhunter chkrootkit clamscan freshclam maldet",
    "who may do what on the machine",
    "users",
    [
      "restorecon -R /",
      "aa-teardown",
      "faillock --reset",
      "samba-tool user delete x",
      "setfattr -n x -v y a",
      "keyctl clear @u",
      "realm leave",
    ],
  ),
  administers(
    "locale-gen update-locale localedef debconf-set-selections debconf debconf-communicate dpkg-divert dpkg-statoverride dpkg-trigger dpkg-preconfigure install-info update-mime-database update-desktop-database update-icon-caches update-catalog update-xmlcatalog update-java-alternatives update-inetd deborphan debfoster aptitude-curses apt-clone apt-ftparchive sysprep cloud-init cloud-id growpart waagent google_guest_agent subscription-manager rhn_register ubuntu-advantage do-release-upgrade yast yast2 sysconfig sysrc freebsd-update pfsense-upgrade k3s-uninstall.sh k3s-killall.sh rke2-uninstall.sh kubelet k0s microk8s microk8s.reset pg_dropcluster pg_upgradecluster pg_renamecluster zic ntpd sntp chronyd phc_ctl adjtimex",
    "what is installed and how the machine is set up",
    "packages-of-the-machine",
    ["locale-gen", "debconf-set-selections x", "dpkg-divert --remove x", "cloud-init clean", "kubeadm reset -f", "pg_resetwal x"],
  ),
  {
    names: "ldapdelete ldapmodify ldapadd ldapmodrdn ldappasswd dsconf dsctl",
    summary: "changes a directory",
    style: "gnu",
    options: rows("--help -> stop"),
    operands: "refuse*",
    effects: "remote.destroy directory, danger remote-destroy",
    examples: { ask: ["ldapdelete cn=x", "ldapmodify -f x.ldif"] },
  },
  {
    names: "srm wipe scrub nwipe bleachbit",
    summary: "deletes so that nothing can bring it back",
    style: "gnu",
    options: rows("--version -> stop; --help -> stop; -f; -q; -r; -R; -v; -i"),
    operands: "deletetree+",
    examples: { ask: ["srm a.txt", "wipe -rf src"], deny: ["srm -r ~", "wipe /etc/passwd", "scrub /dev/sda"] },
  },
];
