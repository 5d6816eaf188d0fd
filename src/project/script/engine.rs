//! The classes of the engine that are `Node` or inherit it.
//!
//! A script that extends anything else extends a script that is missing, or a class of an
//! extension, so that its list of methods is not certain.

/// Whether the engine has a class of nodes with this name. C# spells some of them in another case.
pub(in crate::project) fn is_class(name: &str) -> bool {
    NODES.split_whitespace().any(|class| class.eq_ignore_ascii_case(name))
}

/// The classes of Godot 4.0 to 4.6, with few of those that only the editor has.
const NODES: &str = "
    Node AcceptDialog AnimatableBody2D AnimatableBody3D AnimatedSprite2D AnimatedSprite3D
    AnimationMixer AnimationPlayer AnimationTree Area2D Area3D AspectRatioContainer AudioListener2D
    AudioListener3D AudioStreamPlayer AudioStreamPlayer2D AudioStreamPlayer3D BackBufferCopy
    BaseButton Bone2D BoneAttachment3D BoneConstraint3D BoneTwistDisperser3D BoxContainer Button
    Camera2D Camera3D CanvasGroup CanvasItem CanvasLayer CanvasModulate CCDIK3D CenterContainer
    ChainIK3D CharacterBody2D CharacterBody3D CheckBox CheckButton CodeEdit CollisionObject2D
    CollisionObject3D CollisionPolygon2D CollisionPolygon3D CollisionShape2D CollisionShape3D
    ColorPicker ColorPickerButton ColorRect ConeTwistJoint3D ConfirmationDialog Container Control
    ConvertTransformModifier3D CopyTransformModifier3D CPUParticles2D CPUParticles3D CSGBox3D
    CSGCombiner3D CSGCylinder3D CSGMesh3D CSGPolygon3D CSGPrimitive3D CSGShape3D CSGSphere3D
    CSGTorus3D DampedSpringJoint2D Decal DirectionalLight2D DirectionalLight3D EditorPlugin
    FABRIK3D FileDialog FlowContainer FogVolume FoldableContainer Generic6DOFJoint3D
    GeometryInstance3D GPUParticles2D GPUParticles3D GPUParticlesAttractor3D
    GPUParticlesAttractorBox3D GPUParticlesAttractorSphere3D GPUParticlesAttractorVectorField3D
    GPUParticlesCollision3D GPUParticlesCollisionBox3D GPUParticlesCollisionHeightField3D
    GPUParticlesCollisionSDF3D GPUParticlesCollisionSphere3D GraphEdit GraphElement GraphFrame
    GraphNode GridContainer GridMap GrooveJoint2D HBoxContainer HFlowContainer HingeJoint3D
    HScrollBar HSeparator HSlider HSplitContainer HTTPRequest IKModifier3D ImporterMeshInstance3D
    InstancePlaceholder IterateIK3D ItemList JacobianIK3D Joint2D Joint3D Label Label3D Light2D
    Light3D LightmapGI LightmapProbe LightOccluder2D LimitAngularVelocityModifier3D Line2D LineEdit
    LinkButton LookAtModifier3D MarginContainer Marker2D Marker3D MenuBar MenuButton MeshInstance2D
    MeshInstance3D MissingNode ModifierBoneTarget3D MultiMeshInstance2D MultiMeshInstance3D
    MultiplayerSpawner MultiplayerSynchronizer NavigationAgent2D NavigationAgent3D NavigationLink2D
    NavigationLink3D NavigationObstacle2D NavigationObstacle3D NavigationRegion2D
    NavigationRegion3D NinePatchRect Node2D Node3D OccluderInstance3D OmniLight3D
    OpenXRBindingModifierEditor OpenXRCompositionLayer OpenXRCompositionLayerCylinder
    OpenXRCompositionLayerEquirect OpenXRCompositionLayerQuad OpenXRHand OpenXRRenderModel
    OpenXRRenderModelManager OpenXRVisibilityMask OptionButton Panel PanelContainer Parallax2D
    ParallaxBackground ParallaxLayer Path2D Path3D PathFollow2D PathFollow3D PhysicalBone2D
    PhysicalBone3D PhysicalBoneSimulator3D PhysicsBody2D PhysicsBody3D PinJoint2D PinJoint3D
    PointLight2D Polygon2D Popup PopupMenu PopupPanel ProgressBar Range RayCast2D RayCast3D
    ReferenceRect ReflectionProbe RemoteTransform2D RemoteTransform3D ResourcePreloader
    RetargetModifier3D RichTextLabel RigidBody2D RigidBody3D RootMotionView ScrollBar
    ScrollContainer Separator ShaderGlobalsOverride ShapeCast2D ShapeCast3D Skeleton2D Skeleton3D
    SkeletonIK3D SkeletonModifier3D Slider SliderJoint3D SoftBody3D SpinBox SplineIK3D
    SplitContainer SpotLight3D SpringArm3D SpringBoneCollision3D SpringBoneCollisionCapsule3D
    SpringBoneCollisionPlane3D SpringBoneCollisionSphere3D SpringBoneSimulator3D Sprite2D Sprite3D
    SpriteBase3D StaticBody2D StaticBody3D StatusIndicator SubViewport SubViewportContainer TabBar
    TabContainer TextEdit TextureButton TextureProgressBar TextureRect TileMap TileMapLayer Timer
    TouchScreenButton Tree TwoBoneIK3D VBoxContainer VehicleBody3D VehicleWheel3D VFlowContainer
    VideoStreamPlayer Viewport VirtualJoystick VisibleOnScreenEnabler2D VisibleOnScreenEnabler3D
    VisibleOnScreenNotifier2D VisibleOnScreenNotifier3D VisualInstance3D VoxelGI VScrollBar
    VSeparator VSlider VSplitContainer Window WorldEnvironment XRAnchor3D XRBodyModifier3D
    XRCamera3D XRController3D XRFaceModifier3D XRHandModifier3D XRNode3D XROrigin3D
";
